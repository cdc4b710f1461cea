/**
 * A run while it goes on, for those who watch it: counts so far, in bounded memory, and what is known of the rest.
 *
 * <p>It follows the run directory: the journals have the traffic second by second, so that watching costs the same at any
 * rate of samples, and nothing on their way. The run directory stays the truth; what is told before the analysis has
 * spoken is provisional, to the second, and says so. Nothing here knows of windows.
 */
package io.github.switchover.jmeter.view.live;
