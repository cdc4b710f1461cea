/** One time line for all processes of a run. */
package io.github.switchover.jmeter.clock;
