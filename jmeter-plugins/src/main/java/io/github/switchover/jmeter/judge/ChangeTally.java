package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.ChangeFigures;
import io.github.switchover.jmeter.run.ChangeFigures.ChangeLosses;
import io.github.switchover.jmeter.run.ChangeFigures.FeltChange;
import io.github.switchover.jmeter.run.ChangeFigures.KindFigures;
import io.github.switchover.jmeter.run.ChangeFigures.LossyShare;
import io.github.switchover.jmeter.run.ChangeFigures.SampleLosses;
import io.github.switchover.jmeter.run.ChangeRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which samples crossed a change, and which were lost by one. A sample belongs to the latest change that began before its
 * end, if that had not settled before its start.
 */
final class ChangeTally {

    private static final double CONFIDENCE = 0.95;

    /** As a kind beside those of a patient load, which only a drill of the command line has. */
    private static final String SAMPLES = "samples";

    private final List<ChangeRun> made;
    private final long[] exposed;
    private final long[] lost;
    private long lostElsewhere;
    private long reset;
    private long generatorErrors;
    private long samples;

    /** {@code made}: in the order of time. */
    ChangeTally(List<ChangeRun> made) {
        this.made = made;
        exposed = new long[made.size()];
        lost = new long[made.size()];
    }

    void add(Sample sample) {
        samples++;
        int belongs = -1;
        for (int place = 0; place < made.size() && made.get(place).fromUs() <= sample.endUs(); place++) {
            boolean isUnderWay = sample.startUs() <= made.get(place).fromUs();
            exposed[place] += isUnderWay ? 1 : 0;
            belongs = made.get(place).feltUntilUs() >= sample.startUs() ? place : -1;
        }
        if (sample.error() == FailureKind.GENERATOR) {
            generatorErrors++;
        } else if (!sample.success()) {
            count(sample, belongs);
        }
    }

    private void count(Sample sample, int belongs) {
        if (belongs < 0) {
            lostElsewhere++;
            return;
        }
        lost[belongs]++;
        reset += sample.error() == FailureKind.RESET ? 1 : 0;
    }

    /** Null: no change was made, or there were no samples. */
    ChangeFigures figures() {
        if (made.isEmpty() || samples == 0) {
            return null;
        }
        int lossy = 0;
        long all = 0;
        long open = 0;
        List<ChangeLosses> each = new ArrayList<>();
        for (int place = 0; place < made.size(); place++) {
            lossy += lost[place] > 0 ? 1 : 0;
            all += lost[place];
            open += exposed[place];
            FeltChange felt = new FeltChange(exposed[place], lost[place], 0, null, false);
            each.add(ChangeLosses.of(made.get(place), lost[place], Map.of(SAMPLES, felt)));
        }
        LossyShare share = LossyShare.of(lossy, made.size(), CONFIDENCE);
        SampleLosses losses = SampleLosses.of(open, all, lostElsewhere);
        KindFigures kind = KindFigures.of(SAMPLES, losses, share, reset, generatorErrors);
        long staying =
                made.stream().filter(change -> !change.staying().isEmpty()).count();
        return ChangeFigures.of(made.size(), all, share, CONFIDENCE, staying, kind, each);
    }
}
