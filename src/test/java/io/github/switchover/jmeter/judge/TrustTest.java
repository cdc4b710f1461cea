package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Outage.AwayTime;
import io.github.switchover.jmeter.judge.Outage.Losses;
import io.github.switchover.jmeter.judge.Trust.CountedRequests;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.FaultRun.FaultPrediction;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.TargetFacts;
import io.github.switchover.jmeter.run.TargetFacts.NodeFacts;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WorkerFacts;
import io.github.switchover.jmeter.run.WorkerFacts.Clock;
import io.github.switchover.jmeter.run.WorkerFacts.Origin;
import io.github.switchover.jmeter.run.WorkerFacts.Recorded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What makes figures unbelievable, at the edges of each rule. */
class TrustTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRED = 5 * SECOND;
    private static final PlanTimes PLAN =
            PlanTimes.NOTHING.started(0).fired(FIRED, FIRED + 500).ended(30 * SECOND);
    private static final List<Phase> PHASES =
            List.of(new Phase(PhaseName.BASELINE, 0, FIRED), new Phase(PhaseName.SWITCHOVER, FIRED, 30 * SECOND));
    private static final Span NOTHING_UNSEEN = new Span(FIRED, FIRED);

    @ParameterizedTest
    @CsvSource({
        "100000, 100000, false",
        "300000, 100000, false",
        "300000, 100001, true",
        "800000, 200000, false",
        "800000, 200001, true"
    })
    void a_bound_says_too_little_if_it_is_a_quarter_of_the_figure_and_100_ms(
            long durationUs, long earlyUs, boolean isWide) {
        assertThat(texts(away(durationUs, earlyUs, false, NOTHING_UNSEEN)).isEmpty())
                .isNotEqualTo(isWide);
    }

    @Test
    void a_wide_bound_is_told_in_milliseconds_that_hold_it() {
        assertThat(texts(away(800_001, 300_002, false, NOTHING_UNSEEN)))
                .containsExactly("outage: 499 to 801 ms is too wide to say anything");
        assertThat(texts(away(800_000, 300_000, true, NOTHING_UNSEEN))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "outage=5s,   KEPT,       false",
        "outage=5s,   FAILED,     false",
        "outage=5s,   INCONCLUSIVE,  true",
        "failback=5s, KEPT,       true"
    })
    void a_wide_bound_says_enough_where_it_decides_a_limit_on_it(String limit, LimitState state, boolean isTold) {
        LimitResult result = Limits.parse(limit).result(null, state, "");
        assertThat(texts(away(800_000, 300_000, false, NOTHING_UNSEEN), result).isEmpty())
                .isNotEqualTo(isTold);
    }

    @Test
    void a_stretch_that_was_not_seen_is_told_if_it_is_longer_than_the_outage() {
        Span unseen = new Span(FIRED + 1_250_000, FIRED + 2_050_600);
        assertThat(texts(away(800_600, 0, false, unseen))).isEmpty();
        assertThat(texts(away(800_599, 0, false, unseen)))
                .containsExactly("outage: nothing was sent for 801 ms, 1.2 s after the fault: what happened then was "
                        + "not seen");
    }

    @Test
    void what_comes_after_the_heal_is_held_against_the_outage_of_the_fault() {
        Outage failback = away(100_000, 0, false, new Span(21 * SECOND, 22 * SECOND));
        for (long ofFaultUs : new long[] {SECOND, SECOND - 1}) {
            RunCourse course = course(PLAN, away(ofFaultUs, 0, false, NOTHING_UNSEEN), failback);
            assertThat(reasons(Vectors.data(run()), course, counted(null, null), List.of()))
                    .hasSize(ofFaultUs == SECOND ? 0 : 1);
        }
    }

    @Test
    void a_prediction_says_how_long_none_may_be_unseen_where_the_fault_was_fired() {
        FaultPrediction predicted = new FaultPrediction(0.0, 3000.0, "", false, null, null, null);
        Run run = run().with(run().fault().withPrediction(predicted));
        for (long unseenUs : new long[] {750_000, 750_001}) {
            Outage none = new Outage(
                    OutageKind.NONE,
                    AwayTime.NONE,
                    List.of(),
                    List.of(),
                    new Losses(null, null),
                    new Span(FIRED, FIRED + unseenUs));
            boolean isTold = unseenUs > 750_000;
            assertThat(reasons(run, course(PLAN, none, null))).hasSize(isTold ? 1 : 0);
            Run unfired = run.with(PlanTimes.NOTHING.started(0).ended(30 * SECOND));
            assertThat(reasons(unfired, course(unfired.plan(), none, null))).isEmpty();
            Run without = run.with((FaultRun) null);
            assertThat(reasons(without, course(PLAN, none, null))).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"99, 1, false", "98, 2, true", "199, 2, false", "0, 0, false"})
    void one_in_a_hundred_requests_of_a_load_may_fail_before_the_fault(int good, int failed, boolean isTold) {
        List<Sample> load = new ArrayList<>();
        for (int at = 0; at < good; at++) {
            load.add(Vectors.sample(at, at + 9, null, null, ""));
        }
        for (int at = 0; at < failed; at++) {
            load.add(Vectors.sample(SECOND, SECOND + 9, null, FailureKind.REFUSED, ""));
        }
        for (int at = 0; at < 50; at++) {
            load.add(Vectors.sample(FIRED + SECOND, FIRED + SECOND + 9, null, FailureKind.REFUSED, ""));
        }
        assertThat(codes(run(), counted(null, tally(load))).contains(ReasonCode.LOAD_FAILED_BEFORE))
                .isEqualTo(isTold);
    }

    @Test
    void what_fails_of_a_load_without_a_fault_is_what_it_measured() {
        CountedRequests counted = counted(null, tally(List.of(Vectors.sample(0, 9, null, FailureKind.REFUSED, ""))));
        assertThat(codes(run(), counted)).contains(ReasonCode.LOAD_FAILED_BEFORE);
        assertThat(codes(run().with(PlanTimes.NOTHING.started(0).ended(30 * SECOND)), counted))
                .isEmpty();
    }

    @Test
    void a_service_that_failed_before_the_fault_or_of_which_no_probe_spoke_is_not_known_to_have_been_well() {
        Sample good = Vectors.sample(0, 9, 0L, null, "fresh");
        Sample failed = Vectors.sample(SECOND, SECOND + 9, SECOND, FailureKind.REFUSED, "fresh");
        Sample later = Vectors.sample(FIRED + 10, FIRED + 19, FIRED, FailureKind.REFUSED, "fresh");
        assertThat(codes(run(), counted(tally(List.of(good, later)), null))).isEmpty();
        assertThat(codes(run(), counted(tally(List.of(later)), null))).containsExactly(ReasonCode.NO_PROBE_BEFORE);
        CountedRequests counted = counted(tally(List.of(good, failed)), null);
        assertThat(reasons(Vectors.data(run()), course(PLAN, null, null), counted, List.of()))
                .extracting(VerdictReason::text)
                .containsExactly("1 of 2 probes failed in the baseline");
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, true"})
    void more_than_one_late_probe_in_a_hundred_before_a_fault_says_that_others_are_late_without_one(
            int late, boolean isTold) {
        List<Sample> probes = new ArrayList<>();
        for (int place = 0; place < 100; place++) {
            long endUs = place + (place < late ? SECOND + 1 : 9);
            probes.add(Vectors.sample(place, endUs, (long) place, null, "fresh"));
        }
        CountedRequests counted = counted(tally(probes), null);
        assertThat(codes(run(), counted).contains(ReasonCode.LATE_BEFORE)).isEqualTo(isTold);
        assertThat(codes(run().with(PlanTimes.NOTHING.started(0).ended(30 * SECOND)), counted))
                .isEmpty();
    }

    @Test
    void of_a_file_that_is_not_whole_nothing_is_said_of_the_baseline() {
        Sample failed = Vectors.sample(SECOND, SECOND + 9, SECOND, FailureKind.REFUSED, "fresh");
        CountedRequests counted = counted(tally(List.of(failed)), tally(List.of(failed)));
        assertThat(codes(flawed("probes.jtl"), counted))
                .containsExactly(ReasonCode.FILE_DAMAGED, ReasonCode.LOAD_FAILED_BEFORE);
        assertThat(codes(flawed("samples-2.jtl"), counted))
                .containsExactly(ReasonCode.FILE_DAMAGED, ReasonCode.FAILED_BEFORE);
    }

    @Test
    void a_prober_that_lost_probes_or_left_no_account_is_told() {
        CountedRequests counted = counted(tally(List.of(Vectors.sample(0, 9, 0L, null, "fresh"))), null);
        ProbeAccount lost = new ProbeAccount(run().evidence().generator().fresh(), null, null, null, null, 1L, null);
        assertThat(codes(run().with(run().evidence().with(lost)), counted)).containsExactly(ReasonCode.PROBES_LOST);
        Run dead = run().with(run().evidence().with(ProbeAccount.ofDead(7L, 0, "it was killed")));
        assertThat(reasons(Vectors.data(dead), course(PLAN, null, null), counted, List.of()))
                .extracting(VerdictReason::text)
                .containsExactly("the generator left no account of what it sent: it was killed");
    }

    @Test
    void without_a_probe_nothing_measured_the_outage() {
        RunCourse course =
                new RunCourse(PLAN, List.of(), new Span(FIRED, 30 * SECOND), 30 * SECOND, null, null, List.of());
        CountedRequests counted = counted(tally(List.of(Vectors.sample(0, 9, 0L, null, "kept"))), null);
        assertThat(reasons(Vectors.data(run()), course, counted, List.of()))
                .extracting(VerdictReason::code)
                .containsExactly(ReasonCode.NO_PROBE);
    }

    @ParameterizedTest
    @CsvSource({"master, lb2, true", "backend, lb2, false", "master, lb1, false", "master, x, false"})
    void before_a_fault_of_the_master_no_other_balancer_answers(String kind, String by, boolean isTold) {
        DistributionTally answers = new DistributionTally(PHASES);
        Identity who = new Identity("web1", by, AnsweredBy.BACKEND);
        answers.add(Vectors.sample(0, 9, null, true, null, "", who));
        CountedRequests counted =
                new CountedRequests(null, null, tally(List.of()), tally(List.of()), answers.distribution(null));
        FaultRun fault = FaultRun.of("haproxy-kill", kind, new FaultNodes("lb1", "lb2", "lb1", null));
        assertThat(reasons(Vectors.data(run().with(fault)), course(PLAN, null, null), counted, List.of()))
                .extracting(VerdictReason::text)
                .isEqualTo(
                        isTold
                                ? List.of("lb2 gave 1 answers in the baseline: lb1 was not the only master")
                                : List.of());
    }

    @Test
    void a_part_that_is_missing_and_a_limit_without_a_source_are_told() {
        RunData data = new RunData(
                run(), List.of(), List.of(), List.of(), UnreadLines.none(), List.of("samples-2.jtl"), List.of());
        List<LimitResult> results = List.of(
                Limits.parse("outage=5s").unmeasured("no probe"),
                Limits.parse("failback=5s").unmeasured(""),
                Limits.parse("late=1").result(null, LimitState.KEPT, ""));
        assertThat(reasons(data, course(PLAN, null, null), counted(null, null), results))
                .extracting(VerdictReason::text)
                .containsExactly(
                        "samples-2.jtl is missing: the run was to write it, but it is not here",
                        "limit outage=5s: no probe",
                        "limit failback=5s: the run has no source for it");
    }

    @Test
    void what_is_missing_of_a_load_is_named() {
        assertThat(ofLoad(null, 0)).isEmpty();
        assertThat(ofLoad("ended", 7, worker("w1", 7L, null, "stopped"))).isEmpty();
        assertThat(ofLoad("ended", 7, worker("w1", 7L, 0L, "stopped"))).isEmpty();
        assertThat(ofLoad("running", 7, worker("w1", 7L, null, "stopped")))
                .containsExactly("the load did not end in order: what it had not written down is missing");
        assertThat(ofLoad("ended", 0, worker("w1", 7L, null, "stopped"))).containsExactly("the load left no sample");
        assertThat(ofLoad("ended", 8, worker("w1", 7L, null, "stopped")))
                .containsExactly("the load recorded 7 samples, and 8 are here");
        assertThat(ofLoad("ended", 8, worker("w1", null, null, "lost"), worker("w2", 8L, null, "stopped")))
                .containsExactly("w1 on h was lost: what else it had sent is not known");
        assertThat(ofLoad("ended", 7, worker("w1", 8L, 1L, "stopped")))
                .containsExactly("1 samples of w1 on h could not be written down: is the disk full?");
        assertThat(ofLoad("ended", 7)).isEmpty();
        assertThat(ofLoad(null, 0, WorkerFacts.unheard("s1:1099")))
                .containsExactly("s1:1099 on s1 was lost: what else it had sent is not known");
        assertThat(ofLoad(
                        null,
                        0,
                        new WorkerFacts(new Origin("", null, null), true, recorded(1L, null), null, "", "lost")))
                .containsExactly("the load on an unknown host was lost: what else it had sent is not known");
    }

    @Test
    void what_a_load_recorded_is_known_where_all_of_its_processes_said_it() {
        assertThat(LoadTrust.recorded(run())).isNull();
        assertThat(recordedBy(worker("a", 5L, 2L, ""), worker("b", 4L, null, "")))
                .isEqualTo(7);
        assertThat(recordedBy(worker("a", 0L, null, ""))).isZero();
        assertThat(recordedBy(worker("a", 5L, null, ""), worker("b", null, null, "")))
                .isNull();
    }

    private static Long recordedBy(WorkerFacts... workers) {
        return LoadTrust.recorded(run().with(run().evidence().withWorkers(List.of(workers))));
    }

    /** {@code state}: of the load; null: there was none. */
    private static List<String> ofLoad(String state, long found, WorkerFacts... workers) {
        JsonObject load = new JsonObject();
        load.addProperty("state", state);
        RunSettings settings =
                state == null ? run().settings() : run().settings().with("jmeter", load);
        Run run = run().with(settings).with(run().evidence().withWorkers(List.of(workers)));
        return LoadTrust.reasons(run, found).stream().map(VerdictReason::text).toList();
    }

    private static WorkerFacts worker(String name, Long samples, Long lost, String ended) {
        return new WorkerFacts(
                new Origin(name, "h", null), true, recorded(samples, lost), new Clock(null, null), "start", ended);
    }

    private static Recorded recorded(Long samples, Long lost) {
        return new Recorded(samples, samples, lost, null);
    }

    private static Run run() {
        ProbeAccount.StreamFigures fresh = new ProbeAccount.StreamFigures(
                1L,
                1L,
                0L,
                List.of(),
                new ProbeAccount.LagFigures(null, null, null),
                new ProbeAccount.DueTimes(null, null, null));
        Run named = Run.named("r", "n");
        return named.with(PLAN)
                .with(FaultRun.of("haproxy-kill", FaultRun.MASTER, new FaultNodes("lb1", "lb2", "lb1", null)))
                .with(new TargetFacts(null, null, false, null, List.of(node("lb1"), node("lb2")), false, null))
                .with(named.evidence().with(new ProbeAccount(fresh, null, null, null, null, null, null)));
    }

    private static NodeFacts node(String name) {
        return new NodeFacts(name, "balancer", null, true, false, true, false);
    }

    private static RunData flawed(String name) {
        Flaw flaw =
                new Flaw(name, VerdictReason.of(ReasonCode.FILE_DAMAGED, "name", name, "what", name + " is damaged"));
        return new RunData(run(), List.of(), List.of(), List.of(), UnreadLines.none(), List.of(), List.of(flaw));
    }

    private static PopulationTally tally(List<Sample> requests) {
        PopulationTally tally = new PopulationTally(PHASES, SECOND);
        requests.forEach(tally::add);
        return tally;
    }

    /** Each may be null. */
    private static CountedRequests counted(PopulationTally probes, PopulationTally samples) {
        PopulationTally none = tally(List.of());
        return new CountedRequests(
                probes == null ? null : probes.population(List.of(), false),
                samples == null ? null : samples.population(List.of(), true),
                probes == null ? none : probes,
                samples == null ? none : samples,
                new DistributionTally(PHASES).distribution(null));
    }

    private static RunCourse course(PlanTimes plan, Outage outage, Outage failback) {
        return new RunCourse(
                plan,
                List.of(new Probe(0, 9, 0, Outcome.GOOD)),
                new Span(FIRED, 20 * SECOND),
                30 * SECOND,
                outage,
                failback,
                PHASES);
    }

    private static Outage away(long durationUs, long earlyUs, boolean censored, Span unseen) {
        Gap gap = new Gap(
                new Span(FIRED, FIRED + durationUs),
                new Span(FIRED, FIRED),
                new Gap.Impaired(1, 0, FIRED),
                earlyUs,
                0,
                !censored);
        return new Outage(
                OutageKind.OUTAGE,
                new AwayTime(durationUs, earlyUs, censored),
                List.of(gap),
                List.of(),
                new Losses(null, null),
                unseen);
    }

    private static List<String> texts(Outage outage, LimitResult... results) {
        return reasons(Vectors.data(run()), course(PLAN, outage, null), counted(null, null), List.of(results)).stream()
                .map(VerdictReason::text)
                .toList();
    }

    private static List<VerdictReason> reasons(
            RunData data, RunCourse course, CountedRequests counted, List<LimitResult> results) {
        return Trust.reasons(data, course, counted, results);
    }

    private static List<VerdictReason> reasons(Run run, RunCourse course) {
        return reasons(Vectors.data(run), course, counted(null, null), List.of());
    }

    private static List<ReasonCode> codes(Run run, CountedRequests counted) {
        return codes(Vectors.data(run), counted);
    }

    private static List<ReasonCode> codes(RunData data, CountedRequests counted) {
        return reasons(data, course(data.run().plan(), null, null), counted, List.of()).stream()
                .map(VerdictReason::code)
                .toList();
    }
}
