/**
 * The load, recorded: every sample that JMeter makes becomes rows of the sample log and counts in the traffic of its
 * second.
 *
 * <p>{@code ResultReader} takes from a result what is needed, on the thread that made it; {@code SampleQueue} is where that
 * waits; {@code Recorder}'s own thread makes rows and points of it, a {@code WorkerPart} for each process of the load.
 */
package io.github.switchover.jmeter.recording;
