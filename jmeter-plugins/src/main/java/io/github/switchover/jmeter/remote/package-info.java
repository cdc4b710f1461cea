/**
 * What the client of a remote test and its servers say to each other beyond what JMeter does: how far their clocks are
 * apart.
 *
 * <p>{@code ClockDesk} stands in the client; {@code ClockQuestions} is carried to a server by an element of the plan, and
 * asks there.
 */
package io.github.switchover.jmeter.remote;
