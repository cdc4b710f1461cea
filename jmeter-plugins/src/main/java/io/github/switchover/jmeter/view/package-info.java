/**
 * The view of a run in JMeter's window: while it goes on, and its verdict.
 *
 * <p>What is shown is a {@code RunSnapshot}, made on
 * a thread of its own ({@code live.RunViewer}) from the run directory; a timer of the window's thread looks four times a
 * second whether there is another one, and paints it once. So nothing queues up, and the window's work depends on its
 * size, not on the rate of samples.
 *
 * <p>The chart is drawn by hand: a chart library (JFreeChart: 1.6 MB, LGPL) would be larger than all of this jar.
 *
 * <p>Names come from the network. They are painted as plain text; Swing's HTML is switched off wherever a component
 * would look for it.
 */
package io.github.switchover.jmeter.view;
