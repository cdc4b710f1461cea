/**
 * The words that every room speaks. It imports no other room.
 *
 * <ul>
 *   <li>Who answered: from the headers of an answer to a backend and a balancer.
 *   <li>The sample log: JMeter's CSV JTL with columns of our own behind JMeter's.
 *   <li>Points, the form of line protocol that the journal, InfluxDB and both languages share; the journal, which is
 *       complete up to the last line written; traffic per second, one point for each tag set.
 *   <li>The clock: one time line for all processes of a run.
 *   <li>Files of records: appended whole on a disk that may fill up, read although they may have been cut off.
 *   <li>JSON, numbers and quoted text as Python writes them, so that both halves print the same characters.
 *   <li>Errors: what goes wrong for a user, one line each, with what was tried, what came back and what to do.
 * </ul>
 */
package io.github.switchover.jmeter.core;
