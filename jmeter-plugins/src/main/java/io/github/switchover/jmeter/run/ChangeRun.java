package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.Units;
import java.util.List;
import java.util.Map;

/**
 * One of the changes of a run, as its plan lists it. Times in epoch microseconds of the run's clock; null: it did not
 * come to that.
 *
 * @param number from 1 on
 * @param staying old processes that still had connections when the next change was due; only a patient load knows
 * @param exposed connections that were open right before it, by kind; only a patient load knows
 */
public record ChangeRun(
        int number,
        @Inline Making making,
        @Inline Undoing undoing,
        List<String> staying,
        Map<String, Integer> exposed,
        String error) {

    /** As long as every change is looked at, at least. */
    private static final long FELT_US = Units.US_PER_S;

    /**
     * How it was made.
     *
     * @param fromUs its command was started
     * @param toUs and had returned
     * @param confirmedUs its proof succeeded
     * @param settledUs nothing of what was before it is left
     */
    public record Making(Long fromUs, Long toUs, Long confirmedUs, Long settledUs) {}

    /**
     * How it was taken back, where it can be.
     *
     * @param undoneUs that was proved
     */
    public record Undoing(Long undoFromUs, Long undoToUs, Long undoneUs) {
        static final Undoing NONE = new Undoing(null, null, null);
    }

    public ChangeRun {
        staying = RunFile.copy(staying);
        exposed = RunFile.copy(exposed);
    }

    /** One that was just made. */
    public static ChangeRun made(int number, Making making, String error) {
        return new ChangeRun(number, making, Undoing.NONE, null, null, error);
    }

    public ChangeRun undone(Undoing how) {
        return new ChangeRun(number, making, how, staying, exposed, error);
    }

    public ChangeRun settled(long atUs) {
        Making settled = new Making(making.fromUs, making.toUs, making.confirmedUs, atUs);
        return new ChangeRun(number, settled, undoing, staying, exposed, error);
    }

    /** False: it was not looked at until nothing of what was before it was left. */
    public boolean isSettled() {
        return making.settledUs != null;
    }

    /** With what went wrong: first, or after what went wrong before. */
    public ChangeRun blamed(String why) {
        String both = error == null ? why : error + "; " + why;
        return new ChangeRun(number, making, undoing, staying, exposed, both);
    }

    public Long fromUs() {
        return making.fromUs;
    }

    /** Until when requests may be lost by it: where old processes stay, they may cut what they have at any time. */
    public long mayLoseUntilUs() {
        return isSettled() ? making.settledUs : Long.MAX_VALUE;
    }

    /** Until when requests may have felt it: until it had settled, or a second after its proof or its undo. */
    public long feltUntilUs() {
        if (making.settledUs != null) {
            return making.settledUs;
        }
        for (Long doneUs : new Long[] {undoing.undoneUs, making.confirmedUs, making.toUs, making.fromUs}) {
            if (doneUs != null) {
                return doneUs + FELT_US;
            }
        }
        return FELT_US;
    }
}
