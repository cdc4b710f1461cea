/**
 * The prober: one request per tick at a fixed rate, independent of the earlier ones, on threads of its own.
 *
 * <p>It measures what a closed loop cannot: a client that waits for an answer sends nothing meanwhile, and so hides
 * most of an outage. Here {@code due_i = t0 + i / rate} is decided before anything is sent, and every probe is recorded
 * with both its due time and its actual one. A sampler cannot know when it was due; so this is none.
 *
 * <p>It shares a process with the load. What the load, or a pause of the garbage collector, keeps it from doing in time
 * is its send lag, and what it could not send is in its account; nothing of it is guessed.
 */
package io.github.switchover.jmeter.prober;
