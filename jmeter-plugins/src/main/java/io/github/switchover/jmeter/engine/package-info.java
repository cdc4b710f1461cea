/**
 * All that reaches into JMeter's insides: the one place to look at when JMeter changes. A test holds that no other room
 * does.
 *
 * <p>It stops a test, shows windows, knows whether JMeter is still starting servers and whether they live, prepares elements where JMeter
 * does not, and reads a result's times off JMeter's clock. {@code ClockQuestions} is carried to the servers of a remote
 * test and asks there how far the clocks are apart; {@code ClockDesk} answers in the client.
 */
package io.github.switchover.jmeter.engine;
