package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.RunSettings.FaultSettings;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WitnessCheck;
import io.github.switchover.jmeter.run.WitnessCheck.Effect;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Why a fault, or its heal, is not as planned: which reasons there are, and how they read. */
class CourseReasonsTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRED = 5 * SECOND;
    private static final long END = 30 * SECOND;
    private static final PlanTimes UNFIRED = PlanTimes.NOTHING.started(0).ended(END);
    private static final PlanTimes DONE = UNFIRED.fired(FIRED, FIRED + 500)
            .confirmed(FIRED + 600)
            .healing(20 * SECOND, 20 * SECOND + 500)
            .healed(20 * SECOND + 600);
    private static final Effect SEEN = effect(true);

    @Test
    void a_fault_that_was_fired_seen_and_healed_needs_no_reason() {
        assertThat(texts(planned(DONE, null))).isEmpty();
        assertThat(CourseReasons.of(planned(DONE, null), List.of(), null, null)).isEmpty();
    }

    @Test
    void a_run_without_a_start_or_an_end_did_not_reach_its_end() {
        String open = "the run did not reach its end: run.json has no start or no end";
        assertThat(texts(planned(new PlanTimes(0L, DONE.fault(), DONE.heal(), null), null)))
                .containsExactly(open);
        assertThat(texts(planned(new PlanTimes(null, DONE.fault(), DONE.heal(), END), null)))
                .containsExactly(open);
        assertThat(texts(planned(PlanTimes.NOTHING, "odd")))
                .containsExactly("haproxy-kill was planned, and was not fired: odd");
        assertThat(texts(planned(PlanTimes.NOTHING, null)))
                .containsExactly(open, "haproxy-kill was planned, and was not fired");
    }

    @Test
    void what_stopped_a_run_is_said_once() {
        Run byHand = planned(DONE, null);
        assertThat(texts(byHand.with(byHand.ending().stopped("by Ctrl-C")))).containsExactly("by Ctrl-C");
        Run twice = planned(DONE, "by Ctrl-C");
        assertThat(texts(twice.with(twice.ending().stopped("by Ctrl-C")))).containsExactly("by Ctrl-C");
        Run other = planned(DONE, "odd");
        assertThat(texts(other.with(other.ending().stopped("by Ctrl-C")))).containsExactly("by Ctrl-C", "odd");
        List<VerdictReason> older = CourseReasons.of(planned(DONE, "interrupted by hand"), List.of(), SEEN, null);
        assertThat(older).extracting(VerdictReason::code).containsExactly(ReasonCode.STOPPED);
        assertThat(older).extracting(VerdictReason::text).containsExactly("interrupted by hand");
    }

    @Test
    void an_error_of_its_own_is_no_stop() {
        assertThat(CourseReasons.of(planned(DONE, "odd"), List.of(), SEEN, null))
                .extracting(VerdictReason::code)
                .containsExactly(ReasonCode.FAULT_ERROR);
    }

    @Test
    void what_is_not_proved_says_why() {
        PlanTimes unproved = new PlanTimes(0L, new PlanTimes.FaultTimes(FIRED, FIRED + 500, null), DONE.heal(), END);
        String text = "haproxy-kill was fired, but nothing proved that it took effect";
        assertThat(texts(planned(unproved, null))).containsExactly(text);
        assertThat(texts(planned(unproved, "odd"))).containsExactly(text + ": odd");
    }

    @Test
    void a_rehearsal_fires_nothing_and_says_what_went_wrong() {
        for (String error : new String[] {null, "odd"}) {
            Run run = planned(UNFIRED, error);
            assertThat(texts(run.with(run.ending().asRehearsed())))
                    .isEqualTo(error == null ? List.of() : List.of(error));
        }
    }

    @Test
    void a_refusal_is_not_said_twice() {
        assertThat(texts(planned(UNFIRED, "haproxy-kill does not fire: no backup")))
                .containsExactly("haproxy-kill was planned, and was not fired: no backup");
    }

    @Test
    void what_no_witness_saw_or_one_denies_is_said() {
        assertThat(texts(effect(true, false))).isEmpty();
        assertThat(texts(effect(null, false))).containsExactly("haproxy-kill was fired without effect: text 1");
        assertThat(texts(effect(false, false)))
                .containsExactly("haproxy-kill was fired without effect: text 0; text 1");
        assertThat(texts(effect(null, null)))
                .containsExactly("only its own commands say that haproxy-kill did anything: no request was impaired, "
                        + "and no telemetry of the target would show it");
    }

    @Test
    void what_is_broken_and_what_has_changed_are_two_reasons() {
        WitnessCheck kept = new WitnessCheck("answers", true, "as before");
        PairCheck pair =
                new PairCheck(List.of(denied("a"), kept, denied("b")), List.of(denied("c"), kept, denied("d")));
        assertThat(CourseReasons.of(planned(DONE, null), List.of(), SEEN, pair))
                .extracting(VerdictReason::text)
                .containsExactly("haproxy-kill was healed, but a; b", "the pair is not as it was before: c; d");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "haproxy-kill: healed by hand, 5000500, hand",
                "haproxy-kill: healed by hand, 5000499, -",
                "node-down: healed by hand,    6000000, -"
            })
    void what_others_healed_after_the_kill_is_healed(String text, long atUs, String by) {
        assertThat(texts(unhealed(DONE.firedToUs(), "odd"), heal(text, atUs)))
                .containsExactly(
                        by == null
                                ? "the heal of haproxy-kill was not verified: the target may still be broken: odd"
                                : "haproxy-kill was healed by " + by + ", not by the run itself: odd");
    }

    @Test
    void the_last_that_healed_it_is_named() {
        assertThat(texts(
                        unhealed(DONE.firedToUs(), null),
                        heal("haproxy-kill: healed by the watchdog", END - 1),
                        heal("haproxy-kill: healed by hand", END)))
                .containsExactly("haproxy-kill was healed by hand, not by the run itself");
    }

    @Test
    void a_kill_whose_end_is_not_known_was_at_its_beginning() {
        assertThat(texts(unhealed(null, null), heal("haproxy-kill: healed by hand", FIRED)))
                .containsExactly("haproxy-kill was healed by hand, not by the run itself");
        assertThat(texts(unhealed(null, null), heal("haproxy-kill: healed by hand", FIRED - 1)))
                .containsExactly("the heal of haproxy-kill was not verified: the target may still be broken");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "60.0, -,   ': it was due after 60 s, and the run ended after 30.0 s'",
                "30.5, -,   ': it was due after 30.5 s, and the run ended after 30.0 s'",
                "30.0, -,   ''",
                "-,    -,   ''",
                "60.0, odd, ': odd'"
            })
    void a_fault_that_was_never_due_says_when_it_was_to_be(Double atS, String error, String why) {
        PlanTimes plan = PlanTimes.NOTHING.started(SECOND).ended(31 * SECOND);
        assertThat(texts(due(atS, plan, FaultRun.none(error))))
                .containsExactly("node-down was planned, and was not fired" + why);
    }

    @Test
    void of_a_run_without_a_start_or_an_end_it_is_not_known_whether_a_fault_was_due() {
        for (PlanTimes plan : List.of(PlanTimes.NOTHING.started(SECOND), PlanTimes.NOTHING.ended(31 * SECOND))) {
            assertThat(texts(due(60.0, plan, FaultRun.none(null))))
                    .containsExactly(
                            "the run did not reach its end: run.json has no start or no end",
                            "node-down was planned, and was not fired");
        }
    }

    @Test
    void without_a_plan_an_error_is_told_alone() {
        assertThat(texts(Run.named("r", "n").with(UNFIRED).with(FaultRun.none("odd"))))
                .containsExactly("odd");
        assertThat(texts(Run.named("r", "n").with(UNFIRED).with(FaultRun.none(null))))
                .isEmpty();
        Run rehearsed = due(60.0, UNFIRED, FaultRun.none("odd"));
        assertThat(texts(rehearsed.with(rehearsed.ending().asRehearsed()))).containsExactly("odd");
    }

    private static Run due(Double atS, PlanTimes plan, FaultRun fault) {
        RunSettings unprobed = RunSettings.unprobed();
        RunSettings settings = new RunSettings(
                unprobed.budgets(),
                unprobed.probing(),
                new FaultSettings(true, "node-down", atS, null),
                unprobed.balancing(),
                null,
                null,
                null);
        return Run.named("r", "n").with(settings).with(plan).with(fault);
    }

    private static Run unhealed(Long firedToUs, String error) {
        return planned(
                new PlanTimes(
                        0L,
                        new PlanTimes.FaultTimes(FIRED, firedToUs, FIRED + 600),
                        new PlanTimes.HealTimes(null, null, null),
                        END),
                error);
    }

    private static Run planned(PlanTimes plan, String error) {
        FaultRun fault = FaultRun.of("haproxy-kill", FaultRun.MASTER, new FaultNodes("lb1", "lb2", "lb1", null));
        return Run.named("r", "n").with(plan).with(error == null ? fault : fault.withError(error));
    }

    private static Effect effect(Boolean... holds) {
        WitnessCheck[] checks = new WitnessCheck[holds.length];
        Boolean seen = null;
        for (int number = 0; number < holds.length; number++) {
            checks[number] = new WitnessCheck("kind " + number, holds[number], "text " + number);
            boolean isSettled = Boolean.TRUE.equals(seen) || holds[number] == null;
            seen = isSettled ? seen : holds[number];
        }
        return new Effect(seen, List.of(checks));
    }

    private static WitnessCheck denied(String text) {
        return new WitnessCheck("answers", false, text);
    }

    private static Point heal(String text, long atUs) {
        return new Point(Measurements.EVENT, Map.of("kind", "heal"), Map.of("text", FieldValue.of(text)), atUs * 1000);
    }

    private static List<String> texts(Effect effect) {
        return CourseReasons.of(planned(DONE, null), List.of(), effect, null).stream()
                .map(VerdictReason::text)
                .toList();
    }

    private static List<String> texts(Run run, Point... points) {
        return CourseReasons.of(run, List.of(points), SEEN, null).stream()
                .map(VerdictReason::text)
                .toList();
    }
}
