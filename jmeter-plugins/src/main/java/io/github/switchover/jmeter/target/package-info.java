/** The target: what is drilled, and how it is watched. The same file for drill, Locust and JMeter. */
package io.github.switchover.jmeter.target;
