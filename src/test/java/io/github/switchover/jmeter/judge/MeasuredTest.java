package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Outage.AwayTime;
import io.github.switchover.jmeter.judge.Outage.Losses;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WorkerFacts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which figure of a run a limit is held against, and why there may be none. */
class MeasuredTest {

    private static final Run RUN = Run.named("r", "n");

    @Test
    void each_limit_has_its_own_figure() {
        assertThat(against("outage=1s", RUN)).isEqualTo(List.of("kept", 700.0, 700.0, ""));
        assertThat(against("failback=1s", RUN)).isEqualTo(List.of("kept", 300.0, 300.0, ""));
        assertThat(against("failed=4", RUN)).isEqualTo(List.of("kept", 3.0, 4.0, "3 of 50; 1 more could not be read"));
        assertThat(against("late=3", RUN)).isEqualTo(List.of("kept", 2.0, 3.0, "2 of 50; 1 more could not be read"));
        assertThat(against("failed-total=5", RUN))
                .isEqualTo(List.of("inconclusive", 5.0, 6.0, "5 of 200; 1 more could not be read"));
        assertThat(against("split-brain=1s", RUN)).isEqualTo(List.of("kept", 250.0, 250.0, ""));
    }

    @Test
    void a_split_brain_between_clocks_that_are_not_known_has_no_known_end() {
        SplitBrain both = new SplitBrain(List.of(new Span(0, 250_000)), List.of(), null);
        LimitResult result =
                new Measured(Vectors.data(RUN), null, null, null, 0, both).against(Limits.parse("split-brain=0s"));
        assertThat(result.state()).isEqualTo(LimitState.INCONCLUSIVE);
        assertThat(result.low()).isZero();
        assertThat(result.high()).isNull();
        assertThat(result.note()).isEqualTo("by lines as they arrived: the balancers' clocks are not known");
    }

    @Test
    void without_a_figure_a_limit_is_unmeasured_and_says_why() {
        Run unprobed = RUN.with(RunSettings.unprobed());
        assertThat(why("outage=1s", RUN)).isEqualTo("no probe was recorded");
        assertThat(why("outage=1s", unprobed)).isEqualTo("there was no prober");
        assertThat(why("failback=1s", unprobed)).isEqualTo("there was no prober");
        assertThat(why("failed=1", RUN)).isEqualTo("no switchover phase to count in");
        assertThat(why("late=1", RUN)).isEqualTo("no switchover phase to count in");
        assertThat(why("failed-total=1", RUN)).isEqualTo("no request to count in");
        assertThat(why("split-brain=1s", RUN))
                .isEqualTo("no ownership source of one VRRP instance on every balancer, all the time");
        Measured healedLate = new Measured(Vectors.data(RUN), outage(1), null, null, 0, null);
        assertThat(healedLate.against(Limits.parse("failback=1s")).note())
                .isEqualTo("nothing was healed while the load ran, so no failback was seen");
    }

    @Test
    void what_only_the_report_can_tell_is_inconclusive() {
        LimitResult result = nothing(RUN).against(Limits.parse("unaccounted=0"));
        assertThat(result.state()).isEqualTo(LimitState.INCONCLUSIVE);
        assertThat(result.note()).isEqualTo("told by switchover report");
    }

    @ParameterizedTest
    @CsvSource({
        "outage=1s,       probes.jtl,  true",
        "outage=1s,       samples.jtl, false",
        "failback=1s,     probes.jtl,  true",
        "failed=4,        probes.jtl,  true",
        "late=4,          probes.jtl,  true",
        "failed-total=9,  probes.jtl,  true",
        "failed-total=9,  samples.jtl, false",
        "split-brain=1s,  journal.lp,  true",
        "split-brain=1s,  probes.jtl,  false",
        "unaccounted=0,   access-web1, true",
        "lost=0,          access-web1, true",
        "lossy=1%,        access-web1, true",
        "delay=1s,        access-web1, true"
    })
    void a_limit_whose_source_is_not_whole_is_unmeasured(String limit, String name, boolean isUnmeasured) {
        LimitResult result = whole(RUN, name).against(Limits.parse(limit));
        assertThat(result.state() == LimitState.UNMEASURED).isEqualTo(isUnmeasured);
        assertThat(result.note().equals(name + " is damaged")).isEqualTo(isUnmeasured);
    }

    @Test
    void where_there_was_a_load_its_samples_are_what_is_counted() {
        Run loaded = RUN.with(RUN.evidence().withWorkers(List.of(WorkerFacts.unheard("s1"))));
        assertThat(whole(loaded, "samples.jtl")
                        .against(Limits.parse("failed=4"))
                        .state())
                .isEqualTo(LimitState.UNMEASURED);
        assertThat(whole(loaded, "probes.jtl").against(Limits.parse("failed=4")).state())
                .isEqualTo(LimitState.KEPT);
    }

    @Test
    void none_in_a_phase_that_was_cut_short_may_have_come_later() {
        CutPhase first = new CutPhase(CutPhase.HOLD, 1.0, 6.0, true);
        CutPhase last = new CutPhase(CutPhase.HOLD, 2.0, 6.0, true);
        Run cut = RUN.with(RUN.ending().truncated(List.of(first, last)));
        Measured measured = new Measured(Vectors.data(cut), outage(0), outage(0), null, 0, null);
        assertThat(measured.against(Limits.parse("outage=1s")).note())
                .isEqualTo("no probe was impaired, but " + last.text() + ": it may have come later");
        assertThat(measured.against(Limits.parse("failback=1s")).state()).isEqualTo(LimitState.KEPT);
    }

    private static List<Object> against(String limit, Run run) {
        LimitResult result = whole(run, "none").against(Limits.parse(limit));
        return List.of(result.state().text(), result.low(), result.high(), result.note());
    }

    private static String why(String limit, Run run) {
        LimitResult result = nothing(run).against(Limits.parse(limit));
        assertThat(result.state()).isEqualTo(LimitState.UNMEASURED);
        return result.note();
    }

    private static Measured nothing(Run run) {
        return new Measured(Vectors.data(run), null, null, null, 0, null);
    }

    /** With every figure, and a file that is damaged. */
    private static Measured whole(Run run, String damaged) {
        Flaw flaw = new Flaw(
                damaged, VerdictReason.of(ReasonCode.FILE_DAMAGED, "name", damaged, "what", damaged + " is damaged"));
        RunData data = new RunData(run, List.of(), List.of(), List.of(), UnreadLines.none(), List.of(), List.of(flaw));
        Population requests = new Population(
                RequestCounts.of(200, 5, 9), Map.of(PhaseName.SWITCHOVER.label(), RequestCounts.of(50, 3, 2)));
        SplitBrain both = new SplitBrain(List.of(new Span(0, 250_000)), List.of(), 0L);
        return new Measured(data, outage(700_000), outage(300_000), requests, 1, both);
    }

    private static Outage outage(long durationUs) {
        return new Outage(
                durationUs == 0 ? OutageKind.NONE : OutageKind.OUTAGE,
                new AwayTime(durationUs, 0, false),
                List.of(),
                List.of(),
                new Losses(null, null),
                new Span(0, 0));
    }
}
