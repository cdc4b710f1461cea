package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.ChangeRun.Making;
import io.github.switchover.jmeter.run.ChangeRun.Undoing;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Changes that were not proved, not taken back or without effect; and what had failed before the first. */
class ChangeReasonsTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRST = 5 * SECOND;
    private static final Making PROVED = new Making(FIRST, FIRST + 10, FIRST + 20, null);
    private static final List<Point> MOVED =
            List.of(vrrp(0, false), vrrp(FIRST + 9, true), vrrp(FIRST + 10 * SECOND + 9, true));

    @Test
    void changes_that_were_proved_taken_back_and_seen_need_no_reason() {
        ChangeRun undone = ChangeRun.made(1, PROVED, null).undone(new Undoing(FIRST + 30, FIRST + 40, FIRST + 50));
        assertThat(texts(List.of(undone), MOVED)).isEmpty();
        assertThat(texts(List.of(ChangeRun.made(1, PROVED, null)), MOVED)).isEmpty();
    }

    @Test
    void what_was_not_proved_or_not_taken_back_says_why() {
        Making unproved = new Making(FIRST, FIRST + 10, null, null);
        assertThat(texts(List.of(ChangeRun.made(1, unproved, "odd")), MOVED))
                .containsExactly("change 1, priority-move was fired, but nothing proved that it took effect: odd");
        ChangeRun stays = ChangeRun.made(1, PROVED, null).undone(new Undoing(FIRST + 30, FIRST + 40, null));
        assertThat(texts(List.of(stays), MOVED))
                .containsExactly(
                        "the heal of change 1, priority-move was not verified: the target may still be broken");
        assertThat(texts(List.of(ChangeRun.made(1, PROVED, "odd")), MOVED)).containsExactly("odd");
    }

    @Test
    void changes_that_a_witness_denies_are_counted_and_the_first_is_named() {
        List<Point> once = MOVED.subList(0, 2);
        assertThat(texts(List.of(change(1, FIRST), change(2, FIRST + 10 * SECOND)), once))
                .containsExactly("priority-move was fired without effect: 1 of 2 times, the first of them change 2, as "
                        + "its witnesses say (owner)");
        assertThat(texts(List.of(change(1, FIRST), change(2, FIRST + 10 * SECOND)), MOVED))
                .isEmpty();
    }

    @Test
    void changes_that_no_witness_could_see_are_told() {
        assertThat(texts(List.of(change(1, FIRST)), List.of()))
                .containsExactly("only its own commands say that priority-move did anything: no request was impaired, "
                        + "and no telemetry of the target would show it");
    }

    @Test
    void what_had_failed_before_the_first_change_is_told_of_the_load_from_more_than_one_in_a_hundred_on() {
        Sample good = Vectors.sample(0, FIRST - 1, null, null, "");
        Sample failed = Vectors.sample(0, FIRST - 1, null, FailureKind.REFUSED, "");
        Sample unsent = Vectors.sample(0, FIRST - 1, null, FailureKind.GENERATOR, "");
        Sample since = Vectors.sample(0, FIRST, null, FailureKind.REFUSED, "");
        List<Sample> samples = new ArrayList<>(Collections.nCopies(99, good));
        samples.addAll(List.of(failed, unsent, since, since));
        assertThat(texts(List.of(change(1, FIRST)), MOVED, List.of(), samples)).isEmpty();
        samples.add(failed);
        assertThat(texts(List.of(change(1, FIRST)), MOVED, List.of(), samples))
                .containsExactly("2 of 101 requests of the load failed in the baseline: refused probe 2 times");
        assertThat(texts(List.of(change(1, FIRST)), MOVED, samples, List.of()))
                .containsExactly("2 of 101 probes failed in the baseline: refused probe 2 times");
    }

    @Test
    void what_a_change_cost_is_counted_in_the_samples_and_not_in_the_probes() {
        Sample lost = Vectors.sample(FIRST, FIRST + 9, null, FailureKind.RESET, "");
        RunData data = new RunData(
                run(List.of(change(1, FIRST))),
                List.of(lost),
                List.of(lost, lost),
                List.of(),
                UnreadLines.none(),
                List.of(),
                List.of());
        assertThat(RunCounts.of(data, RunCourse.of(data)).changes().lost()).isEqualTo(2);
    }

    @Test
    void without_a_change_that_was_made_there_is_nothing_to_say() {
        assertThat(texts(List.of(), List.of())).isEmpty();
        Run run = run(List.of(change(1, FIRST)));
        assertThat(reasons(run.changing(null), List.of(), List.of(), List.of())).isEmpty();
    }

    private static ChangeRun change(int number, long fromUs) {
        return ChangeRun.made(number, new Making(fromUs, fromUs + 10, fromUs + 20, null), null);
    }

    private static Point vrrp(long atUs, boolean holds) {
        return new Point(
                Measurements.VRRP,
                Map.of("node", "lb2", "instance", "VI_1"),
                Map.of("holds_vip", FieldValue.of(holds)),
                atUs * 1000);
    }

    private static Run run(List<ChangeRun> changes) {
        PlanTimes plan = PlanTimes.NOTHING.started(0).ended(30 * SECOND);
        for (ChangeRun change : changes) {
            plan = plan.changed(change);
        }
        return Run.named("r", "n")
                .with(RunSettings.unprobed())
                .with(plan)
                .changing(FaultRun.of("priority-move", FaultRun.MASTER, new FaultNodes("lb1", "lb2", "lb1", null))
                        .withWitnesses(List.of("owner", "priority")));
    }

    private static List<String> texts(List<ChangeRun> changes, List<Point> points) {
        return texts(changes, points, List.of(), List.of());
    }

    private static List<String> texts(
            List<ChangeRun> changes, List<Point> points, List<Sample> probes, List<Sample> samples) {
        return reasons(run(changes), points, probes, samples);
    }

    private static List<String> reasons(Run run, List<Point> points, List<Sample> probes, List<Sample> samples) {
        RunData data = new RunData(run, probes, samples, points, UnreadLines.none(), List.of(), List.of());
        RunCourse course = RunCourse.of(data);
        return ChangeReasons.of(data, course, RunCounts.of(data, course)).stream()
                .map(VerdictReason::text)
                .toList();
    }
}
