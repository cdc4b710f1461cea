package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Outage.AwayTime;
import io.github.switchover.jmeter.judge.Outage.Losses;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.RequestCounts.RequestRate;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.RunSettings.ProbeSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a reader should know, though the figures stand. */
class WarningsTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRED = 5 * SECOND;

    @Test
    void what_the_run_itself_warned_of_comes_first_and_once() {
        Run run = run(null, null, null);
        run = run.with(run.ending()
                .withWarning("one")
                .truncated(List.of(
                        new CutPhase(CutPhase.HOLD, 1.0, 6.0, true), new CutPhase(CutPhase.HOLD, 1.0, 6.0, true))));
        assertThat(Warnings.of(Vectors.data(run), null, null))
                .containsExactly("one", "--hold 1 s is shorter than the 6 s that a clean window needs");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"1001, true", "1000, false", "-, false"})
    void a_read_time_out_that_exceeds_the_outage_hides_what_hangs(Double readMs, boolean isTold) {
        Gap gap = new Gap(new Span(0, SECOND), new Span(0, 9), new Gap.Impaired(1, 0, 0), 0, 0, true);
        assertThat(Warnings.of(Vectors.data(run(null, null, readMs)), outage(SECOND, List.of(gap), List.of()), null))
                .isEqualTo(
                        isTold
                                ? List.of(
                                        "the probes' read time-out (1001 ms) exceeds the outage: what hangs is answered "
                                                + "late, so failures and the loss-derived figure are too low")
                                : List.of());
        assertThat(Warnings.of(Vectors.data(run(null, null, readMs)), outage(0, List.of(), List.of()), null))
                .isEmpty();
    }

    @Test
    void a_later_gap_that_is_longer_than_the_outage_is_told() {
        Gap stray = new Gap(new Span(0, 700_600), new Span(0, 9), new Gap.Impaired(1, 0, 0), 0, 0, true);
        assertThat(Warnings.of(Vectors.data(run(null, null, null)), outage(700_600, List.of(), List.of(stray)), null))
                .isEmpty();
        assertThat(Warnings.of(Vectors.data(run(null, null, null)), outage(700_599, List.of(), List.of(stray)), null))
                .containsExactly("a later gap of 701 ms is longer than the outage: it came after a clean window, and "
                        + "counts in the budget");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "40, 8, -, ''",
                "41, 8, -, ''",
                "39, 8, -, ''",
                "42, 8, -, +5.0% off the 8",
                "38, 8, -, -5.0% off the 8",
                "42, 5, 3, +5.0% off the 8",
                "42, -, 8, +5.0% off the 8",
                "42, -, -, ''",
                "42, 0, 0, ''"
            })
    void a_rate_that_is_5_percent_off_what_was_asked_for_is_told(int sent, Double rate, Double kept, String text) {
        List<String> found = Warnings.of(Vectors.data(run(rate, kept, null)), null, probes(sent, 0, 0));
        assertThat(found)
                .isEqualTo(
                        text.isEmpty()
                                ? List.of()
                                : List.of("the baseline's rate was " + text
                                        + "/s asked for (RFC 9411 section 7.3.3.3 allows less than 5 %)"));
    }

    @Test
    void probes_that_came_late_before_the_fault_or_could_not_be_sent_are_told() {
        assertThat(Warnings.of(Vectors.data(run(8.0, null, null)), null, probes(39, 1, 2)))
                .containsExactly(
                        "1 probes came late in the baseline",
                        "2 probes could not be sent (client out of ports or files)");
        PopulationTally without = new PopulationTally(List.of(), SECOND);
        assertThat(Warnings.of(Vectors.data(run(8.0, null, null)), null, without.population(List.of(), false)))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "1.5, false, -",
                "-, false, -",
                "1.6, -, ''",
                "1.6, true, ''",
                "1.6, false, ', and the metronome had no real-time scheduling'"
            })
    void probes_that_were_sent_late_say_that_the_machine_was_busy(Double p99Ms, Boolean realtime, String also) {
        ProbeAccount.StreamFigures fresh = new ProbeAccount.StreamFigures(
                null,
                null,
                null,
                null,
                new ProbeAccount.LagFigures(null, p99Ms, null),
                new ProbeAccount.DueTimes(null, null, null));
        Run run = run(8.0, null, null);
        run = run.with(run.evidence().with(new ProbeAccount(fresh, null, null, realtime, null, null, null)));
        assertThat(Warnings.of(Vectors.data(run), null, probes(40, 0, 0)))
                .isEqualTo(
                        also == null
                                ? List.of()
                                : List.of(
                                        "probes were sent late (99th percentile 1.6 ms): the client's machine was busy"
                                                + also));
        assertThat(Warnings.of(Vectors.data(run), null, null)).isEmpty();
    }

    @Test
    void that_the_victim_falls_silent_since_the_fault_is_the_fault_and_no_warning() {
        Run fired = run(null, null, null)
                .with(PlanTimes.NOTHING.started(0).fired(FIRED, FIRED + 500))
                .with(FaultRun.of("haproxy-kill", FaultRun.MASTER, new FaultNodes("lb1", "lb2", "lb1", null)));
        List<Point> points = List.of(
                event("warning", "lb1", "lb1 before", FIRED - 1),
                event("warning", "lb1", "lb1 since", FIRED),
                event("warning", "lb2", "lb2 since", FIRED),
                event("heal", "lb2", "healed", FIRED),
                new Point(
                        Measurements.EVENT,
                        Map.of("kind", "warning"),
                        Map.of("text", FieldValue.of("of no node")),
                        FIRED * 1000));
        assertThat(warnings(fired, points)).containsExactly("lb1 before", "lb2 since", "of no node");
        assertThat(warnings(fired.with((FaultRun) null), points)).hasSize(4);
        assertThat(warnings(fired.with(PlanTimes.NOTHING), points)).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"2, 2, false", "2, 1.2, false", "2, 1, true", "1, -, true"})
    void more_requests_cut_than_there_were_users_are_told(int unsent, Double users, boolean isTold) {
        RequestCounts whole = probes(4, 0, unsent).whole();
        RequestCounts baseline =
                new RequestCounts(whole.totals(), new RequestRate(null, users), whole.breakdown(), whole.latencyMs());
        assertThat(Warnings.unsent(new Population(whole, Map.of("baseline", baseline))))
                .isEqualTo(
                        isTold
                                ? List.of(unsent + " requests were not sent, or were ended by the load generator")
                                : List.of());
        assertThat(Warnings.unsent(null)).isEmpty();
    }

    private static List<String> warnings(Run run, List<Point> points) {
        return Warnings.of(
                new RunData(run, List.of(), List.of(), points, UnreadLines.none(), List.of(), List.of()), null, null);
    }

    private static Point event(String kind, String node, String text, long atUs) {
        return new Point(
                Measurements.EVENT,
                Map.of("kind", kind, "node", node),
                Map.of("text", FieldValue.of(text)),
                atUs * 1000);
    }

    private static Run run(Double rate, Double kept, Double readMs) {
        return Run.named("r", "n")
                .with(RunSettings.unprobed().with(new ProbeSettings(rate, kept, null, readMs, null, null)));
    }

    /** In a baseline of 5 s. */
    private static Population probes(int good, int late, int unsent) {
        PopulationTally tally = new PopulationTally(List.of(new Phase(PhaseName.BASELINE, 0, FIRED)), SECOND);
        for (int at = 0; at < good; at++) {
            tally.add(Vectors.sample(at, at + 9, (long) at, null, "fresh"));
        }
        for (int at = 0; at < late; at++) {
            tally.add(Vectors.sample(at, at + SECOND + 1, (long) at, null, "fresh"));
        }
        for (int at = 0; at < unsent; at++) {
            tally.add(Vectors.sample(at, at, (long) at, FailureKind.GENERATOR, "fresh"));
        }
        return tally.population(List.of(), false);
    }

    private static Outage outage(long durationUs, List<Gap> gaps, List<Gap> strays) {
        return new Outage(
                OutageKind.OUTAGE,
                new AwayTime(durationUs, 0, false),
                gaps,
                strays,
                new Losses(null, null),
                new Span(0, 0));
    }
}
