package io.github.switchover.jmeter.recording;

/**
 * What a load is recorded as.
 *
 * @param load where it comes from, for {@code load.json}
 */
public record RecorderSettings(RunPlace place, JMeterLoad.LoadOrigin load) {}
