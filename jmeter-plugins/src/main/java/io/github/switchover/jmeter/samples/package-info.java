/** The sample log: JMeter's CSV JTL with columns of our own behind JMeter's. */
package io.github.switchover.jmeter.samples;
