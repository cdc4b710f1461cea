/**
 * Streams a run's journals to an InfluxDB while they are written, and loses nothing of them: the journal is the queue.
 *
 * <p>{@code Shipper} has the only thread. It reads whole lines behind the offset that {@code SentMark} keeps beside each
 * journal, posts them by {@code InfluxWriter}, and moves the offset when the database has taken them. So memory is that of
 * one batch, however long the database is away, and what is left at the end is sent by {@code switchover upload}.
 */
package io.github.switchover.jmeter.streaming;
