package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.judge.RunData.RunFiles;
import io.github.switchover.jmeter.judge.RunData.UnreadLines;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** By how much the sources of a takeover are late. The fault is from 5 to 20 s. */
class TakeoverTimeTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRED = 5 * SECOND;
    private static final long HEAL = 20 * SECOND;
    private static final long OWNED = 9 * SECOND;

    private final List<Point> points = new ArrayList<>(List.of(owned("lb2", OWNED)));
    private String kind = FaultRun.MASTER;
    private PlanTimes plan = PlanTimes.NOTHING
            .started(0)
            .fired(FIRED, FIRED + 500)
            .healing(HEAL, HEAL)
            .ended(30 * SECOND);

    @Test
    void a_good_answer_before_it_says_that_it_has_the_address_shows_how_late_it_says_so() {
        assertThat(late(answer("lb2", OWNED - 900, OWNED - 300))).isEqualTo(300);
        assertThat(late(answer("lb2", OWNED, OWNED + 300))).isZero();
    }

    @Test
    void the_first_good_answer_of_another_balancer_counts() {
        assertThat(late(
                        answer("lb2", OWNED - 900, OWNED - 300),
                        answer("lb2", OWNED - 950, OWNED - 400),
                        answer("lb2", OWNED - 950, OWNED - 350),
                        answer("lb1", OWNED - 990, OWNED - 600),
                        answer("", OWNED - 990, OWNED - 700)))
                .isEqualTo(400);
        Identity lb2 = new Identity("web1", "lb2", AnsweredBy.BACKEND);
        assertThat(late(
                        Vectors.sample(OWNED - 900, OWNED - 500, null, false, FailureKind.STATUS, "", lb2),
                        Vectors.sample(OWNED - 900, OWNED - 500, OWNED - 500 - SECOND - 1, true, null, "", lb2)))
                .isZero();
        assertThat(late(Vectors.sample(OWNED - 900, OWNED - 500, OWNED - 500 - SECOND, true, null, "", lb2)))
                .isEqualTo(500);
    }

    @Test
    void an_advert_before_the_new_master_says_that_it_is_one_shows_how_late_it_says_so() {
        points.add(advert("lb2", 100, OWNED - 700));
        assertThat(late()).isEqualTo(700);
        assertThat(late(answer("lb2", OWNED - 990, OWNED - 800))).isEqualTo(700 + 100);
        points.add(advert("lb2", 100, OWNED - 500));
        assertThat(late()).isEqualTo(700);
    }

    @Test
    void adverts_of_the_master_of_priority_0_or_of_another_time_show_nothing() {
        points.add(advert("lb1", 100, OWNED - 700));
        points.add(advert("lb2", 0, OWNED - 700));
        points.add(advert("lb2", 100, FIRED - 1));
        points.add(new Point(Measurements.VRRP, Map.of("node", ""), Map.of("priority", FieldValue.of(1)), 1000));
        assertThat(late()).isZero();
        points.add(advert("lb2", 100, FIRED));
        assertThat(late()).isEqualTo(OWNED - FIRED);
    }

    @Test
    void only_of_a_fault_of_the_master_that_was_fired_a_takeover_is_known() {
        points.add(advert("lb2", 100, OWNED - 700));
        kind = FaultRun.BACKEND;
        assertThat(late(answer("lb2", OWNED - 900, OWNED - 300))).isZero();
        kind = FaultRun.MASTER;
        plan = PlanTimes.NOTHING.started(0);
        assertThat(late(answer("lb2", OWNED - 900, OWNED - 300))).isZero();
    }

    private long late(Sample... requests) {
        Run run = Run.named("r", "n").with(plan).with(FaultRun.of("f", kind, new FaultNodes("lb1", null, null, null)));
        List<Sample> samples = List.of(requests);
        RunData data = new RunData(run, List.of(), samples, points, UnreadLines.none(), RunFiles.WHOLE);
        return SplitBrain.stampedLateUs(RunCourse.of(data), Ownership.of(points));
    }

    private static Sample answer(String balancer, long startUs, long endUs) {
        return Vectors.sample(startUs, endUs, null, true, null, "", new Identity("web1", balancer, AnsweredBy.BACKEND));
    }

    private static Point owned(String node, long atUs) {
        return new Point(
                Measurements.VRRP,
                Map.of("node", node, "instance", "VI_1"),
                Map.of("state", FieldValue.of("MASTER")),
                atUs * 1000);
    }

    private static Point advert(String node, long priority, long atUs) {
        return new Point(
                Measurements.ADVERT, Map.of("node", node), Map.of("priority", FieldValue.of(priority)), atUs * 1000);
    }
}
