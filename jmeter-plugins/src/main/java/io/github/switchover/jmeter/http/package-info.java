/**
 * HTTP/1.1 for probes: one request, sent once, timed in its phases, and what became of it.
 *
 * <p>There is one engine, {@link io.github.switchover.jmeter.http.Wire}, a set of exchanges on one selector that never
 * waits by itself. The prober runs hundreds of them at a time on its thread; {@link
 * io.github.switchover.jmeter.http.ProbeClient} runs one at a time and waits for it. So both mean the same by every
 * phase, time-out and failure. A blocking socket would save a sampler nothing: on a kept connection both cost 8 to 9 µs
 * of CPU a request (measured, JDK 17 on loopback), and a socket's time-out holds for each read, which a peer that drips
 * bytes can stretch without end.
 *
 * <p>{@code Answer}, {@code HeadReader} and {@code ChunkedBody} read bytes that anybody may have sent: bounded, never
 * throwing, and to the same result as Python's for the same bytes.
 */
package io.github.switchover.jmeter.http;
