package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.ChangeWaits.Waited;
import io.github.switchover.jmeter.run.ChangeFigures;
import io.github.switchover.jmeter.run.ChangeFigures.CausedDelay;
import io.github.switchover.jmeter.run.ChangeFigures.ChangeLosses;
import io.github.switchover.jmeter.run.ChangeFigures.FeltChange;
import io.github.switchover.jmeter.run.ChangeFigures.KindDelay;
import io.github.switchover.jmeter.run.ChangeFigures.KindFigures;
import io.github.switchover.jmeter.run.ChangeFigures.LossyShare;
import io.github.switchover.jmeter.run.ChangeFigures.SampleLosses;
import io.github.switchover.jmeter.run.ChangeRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Which samples crossed a change, which were lost by one, and which waited. A sample belongs to the latest change that began before its
 * end, if that had not settled before its start.
 */
final class ChangeTally {

    private static final double CONFIDENCE = 0.95;

    /** As a kind beside those of a patient load, which only a drill of the command line has. */
    private static final String SAMPLES = "samples";

    private static final Comparator<Waited> BY_CAUSED = Comparator.comparing(
                    (Waited waited) -> waited.caused().low())
            .thenComparing(waited -> waited.caused().high())
            .thenComparing(Waited::longestUs);

    private final List<ChangeRun> made;
    private final long[] exposed;
    private final long[] lost;
    private final ChangeWaits waits;
    private long lostElsewhere;
    private long reset;
    private long generatorErrors;
    private boolean hasSamples;

    /** {@code made}: in the order of time. */
    ChangeTally(List<ChangeRun> made) {
        this.made = made;
        exposed = new long[made.size()];
        lost = new long[made.size()];
        waits = new ChangeWaits(made.size());
    }

    void add(Sample sample) {
        hasSamples = true;
        int latest = -1;
        while (latest + 1 < made.size() && made.get(latest + 1).fromUs() <= sample.endUs()) {
            latest++;
            exposed[latest] += sample.startUs() <= made.get(latest).fromUs() ? 1 : 0;
        }
        waits.add(sample, latest >= 0 && made.get(latest).feltUntilUs() >= sample.startUs() ? latest : -1);
        if (sample.error() == FailureKind.GENERATOR) {
            generatorErrors++;
        } else if (!sample.success()) {
            count(sample, latest >= 0 && made.get(latest).mayLoseUntilUs() >= sample.startUs() ? latest : -1);
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
        if (made.isEmpty() || !hasSamples) {
            return null;
        }
        int lossy = 0;
        long all = 0;
        long open = 0;
        List<Waited> waited = waits.found();
        List<ChangeLosses> each = new ArrayList<>();
        for (int place = 0; place < made.size(); place++) {
            lossy += lost[place] > 0 ? 1 : 0;
            all += lost[place];
            open += exposed[place];
            Double longestMs = longestMs(waited, place);
            FeltChange felt = new FeltChange(exposed[place], lost[place], 0, longestMs, longestMs != null);
            each.add(ChangeLosses.of(made.get(place), lost[place], Map.of(SAMPLES, felt)));
        }
        LossyShare share = LossyShare.of(lossy, made.size(), CONFIDENCE);
        SampleLosses losses = SampleLosses.of(open, all, lostElsewhere);
        KindFigures kind = KindFigures.of(SAMPLES, losses, share, reset, generatorErrors, delay(waited));
        long staying =
                made.stream().filter(change -> !change.staying().isEmpty()).count();
        return ChangeFigures.of(made.size(), share, CONFIDENCE, staying, caused(waited), kind, each);
    }

    /** Of the label whose requests waited longest beyond what is usual. */
    private static KindDelay delay(List<Waited> waited) {
        Waited longest = null;
        for (Waited one : waited) {
            longest = longest == null || BY_CAUSED.compare(one, longest) > 0 ? one : longest;
        }
        return longest == null
                ? KindDelay.UNKNOWN
                : KindDelay.of(longest.longestUs(), longest.usual(), longest.caused());
    }

    /** What a change added at most, of all labels. */
    private static CausedDelay caused(List<Waited> waited) {
        if (waited.isEmpty()) {
            return CausedDelay.UNKNOWN;
        }
        return CausedDelay.of(
                waited.stream().mapToDouble(one -> one.caused().low()).max().orElseThrow(),
                waited.stream().mapToDouble(one -> one.caused().high()).max().orElseThrow());
    }

    /** Of the labels whose requests waited longer than between the changes; null: those of none did. */
    private static Double longestMs(List<Waited> waited, int place) {
        return waited.stream()
                .map(one -> one.delayedUs(place))
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .map(Units::msOfUs)
                .orElse(null);
    }
}
