package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import java.util.List;
import java.util.Map;

/**
 * What a series of changes cost.
 *
 * @param made changes that were made
 * @param lost requests that belong to a change and were lost
 * @param confidence of the bounds of the share
 * @param staying changes after which an old process still had connections
 * @param twins there are none here
 * @param losses none are listed here
 */
public record ChangeFigures(
        int made,
        long lost,
        @Inline LossyShare share,
        double confidence,
        long staying,
        @Inline CausedDelay delay,
        List<JsonElement> twins,
        List<KindFigures> kinds,
        List<ChangeLosses> byChange,
        List<JsonElement> losses) {

    private static final int SHARE_DIGITS = 9;
    private static final int PER_THOUSAND_DIGITS = 3;
    private static final double THOUSAND = 1000;

    public ChangeFigures {
        twins = RunFile.copy(twins);
        kinds = RunFile.copy(kinds);
        byChange = RunFile.copy(byChange);
        losses = RunFile.copy(losses);
    }

    /** Of a load that has one kind of requests. */
    public static ChangeFigures of(
            int made,
            LossyShare share,
            double confidence,
            long staying,
            CausedDelay delay,
            KindFigures kind,
            List<ChangeLosses> each) {
        return new ChangeFigures(
                made, kind.losses.lost, share, confidence, staying, delay, null, List.of(kind), each, null);
    }

    /** Changes that lost something, and the exact one-sided bounds of their share (Clopper and Pearson, 1934). */
    public record LossyShare(int lossy, double lossyLow, double lossyHigh) {

        public static LossyShare of(int lossy, int made, double confidence) {
            ProportionBounds bounds = ProportionBounds.of(lossy, made, confidence);
            return new LossyShare(
                    lossy, Numbers.round(bounds.low(), SHARE_DIGITS), Numbers.round(bounds.high(), SHARE_DIGITS));
        }
    }

    /** What a change added to a wait at most; null: nothing was answered both within a change and between changes. */
    public record CausedDelay(Double delayLowMs, Double delayHighMs) {
        public static final CausedDelay UNKNOWN = new CausedDelay(null, null);

        /** In microseconds. */
        public static CausedDelay of(double lowUs, double highUs) {
            return new CausedDelay(lowUs / Units.US_PER_MS, highUs / Units.US_PER_MS);
        }
    }

    /**
     * Of requests.
     *
     * @param exposed under way when a change began, summed over the changes
     * @param lost that belong to a change
     * @param lostElsewhere before the first, or when one had settled
     */
    public record SampleLosses(long exposed, long lost, long lostElsewhere, Double lostPerThousand) {

        public static SampleLosses of(long exposed, long lost, long lostElsewhere) {
            Double share = exposed == 0
                    ? null
                    : (Double) Numbers.round(THOUSAND * lost / (double) exposed, PER_THOUSAND_DIGITS);
            return new SampleLosses(exposed, lost, lostElsewhere, share);
        }
    }

    /**
     * How long requests waited; null: nothing was answered both within a change and between changes.
     *
     * @param delayLongestMs within the changes
     * @param delayBetweenLowMs the same percentile between them, at least
     * @param delayBetweenHighMs null beside the others: too few requests between the changes
     */
    public record KindDelay(
            Double delayLongestMs,
            Double delayBetweenLowMs,
            Double delayBetweenHighMs,
            Double delayCausedLowMs,
            Double delayCausedHighMs) {
        public static final KindDelay UNKNOWN = new KindDelay(null, null, null, null, null);

        /** In microseconds. */
        public static KindDelay of(long longestUs, Interval usual, Interval caused) {
            return new KindDelay(
                    Units.msOfUs(longestUs),
                    usual.low() / Units.US_PER_MS,
                    usual.high() == null ? null : (Double) (usual.high() / Units.US_PER_MS),
                    caused.low() / Units.US_PER_MS,
                    caused.high() / Units.US_PER_MS);
        }
    }

    /** The samples of the load over all changes. */
    public record KindFigures(
            String kind,
            @Inline SampleLosses losses,
            @Inline LossyShare share,
            long closedPolitely,
            long reset,
            long generatorErrors,
            @Inline KindDelay delay) {

        public static KindFigures of(
                String kind, SampleLosses losses, LossyShare share, long reset, long generatorErrors, KindDelay delay) {
            return new KindFigures(kind, losses, share, 0, reset, generatorErrors, delay);
        }
    }

    /** What the samples felt of one change; {@code exposed}: those that were under way when it began. */
    public record FeltChange(long exposed, long lost, long closedPolitely, Double longestMs, boolean delayed) {}

    /** When a change was made. */
    public record ChangeTimes(int number, Long fromUs, Long confirmedUs, Long settledUs, List<String> staying) {
        public ChangeTimes {
            staying = RunFile.copy(staying);
        }
    }

    /** One change, and what was lost by it. */
    public record ChangeLosses(@Inline ChangeTimes times, long lost, Map<String, FeltChange> felt) {

        public ChangeLosses {
            felt = RunFile.copy(felt);
        }

        public static ChangeLosses of(ChangeRun change, long lost, Map<String, FeltChange> felt) {
            ChangeRun.Making making = change.making();
            ChangeTimes times = new ChangeTimes(
                    change.number(), making.fromUs(), making.confirmedUs(), making.settledUs(), change.staying());
            return new ChangeLosses(times, lost, felt);
        }
    }
}
