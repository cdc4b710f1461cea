/**
 * What the nodes say about themselves: one reader per kind of source, all bounded in time and size.
 *
 * <p>Wires: {@code Transport} (one question, one answer), {@code command.CommandStream} (lines whenever
 * something happens). Meanings: {@code HaproxyTable}, {@code NginxSnapshot}, {@code Notification}, {@code AddressLine},
 * {@code ClockOffset}. On top: {@code Collector} (a thread per source, into the journal) and {@code MasterFinder} (who
 * holds the address now). Points have the same bytes as Python's for the same answers.
 */
package io.github.switchover.jmeter.telemetry;
