package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Sample;

/**
 * What was taken of a result: neither body nor headers.
 *
 * @param worker the process that made it; empty for this one
 */
record WorkerSample(String worker, Sample sample) {}
