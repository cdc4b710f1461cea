/**
 * One run in this JVM, beside the load that JMeter makes: telemetry, prober, fault and verdict, into a run directory.
 *
 * <p>{@code Runs} is the one run of the test that is on; {@code Drill} is the run itself; {@code FaultControl} its
 * fault and its phases; {@code RunWatcher} fires and heals what has a time; {@code
 * RunRecord} is {@code run.json} as it comes about. The drill fires and watches; it judges nothing: that is {@code
 * Conclusion}, by the run directory alone.
 */
package io.github.switchover.jmeter.drill;
