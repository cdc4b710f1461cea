/** The run directory: the folder that stands for one run, and {@code run.json}, which says what was run. */
package io.github.switchover.jmeter.run;
