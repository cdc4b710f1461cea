package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;

/**
 * A phase that was shorter than what the prediction and the stability window need.
 *
 * @param phase {@link #HOLD} or {@link #RECOVER}
 * @param chosen by an option, before the drill; else it turned out so
 */
public record CutPhase(String phase, double lastedS, double neededS, boolean chosen) {

    /** From the fault to the heal. */
    public static final String HOLD = "hold";

    /** From the heal to the end. */
    public static final String RECOVER = "recover";

    static CutPhase of(Tree cut) {
        return new CutPhase(cut.text("phase", ""), number(cut, "lasted_s"), number(cut, "needed_s"), cut.is("chosen"));
    }

    private static double number(Tree cut, String name) {
        return cut.has(name) ? cut.number(name) : 0;
    }

    /** One line. */
    public String text() {
        String lasted =
                chosen ? "--" + phase + " " + Numbers.general(lastedS) : phase + " " + Numbers.fixed(lastedS, 1);
        return lasted + " s is shorter than the " + Numbers.general(neededS) + " s that a stability window needs";
    }
}
