package io.github.switchover.jmeter.judge;

/** From one good answer of a load to the next, in microseconds. */
public record AnswerGap(long fromUs, long toUs) {

    public long durationUs() {
        return toUs - fromUs;
    }
}
