package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.RunSettings.FaultSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FaultStateTest {

    private static final long US = 1_000_000;
    private static final long START_US = 1_700_000_000 * US;
    private static final FaultRun NONE = FaultRun.none(null);
    private static final FaultRun KILL =
            FaultRun.of("haproxy-kill", FaultRun.MASTER, new FaultRun.FaultNodes("lb1", "lb2", "lb1", "header"));

    private FaultSettings settings = new FaultSettings(null, null, null, null);
    private PlanTimes plan = PlanTimes.NOTHING.started(START_US);
    private RunSnapshot.RunState state = RunSnapshot.RunState.RUNNING;

    @Test
    void before_a_fault_it_says_what_is_to_come() {
        settings = new FaultSettings(true, null, null, null);
        assertThat(line(NONE)).isEqualTo("fault: none yet, armed");
        settings = new FaultSettings(false, null, null, null);
        assertThat(line(NONE)).isEqualTo("fault: none, not armed");
        settings = new FaultSettings(true, "haproxy-kill", 75.0, 90.0);
        assertThat(line(NONE)).isEqualTo("haproxy-kill: planned at 1:15, armed");
    }

    @Test
    void a_planned_fault_that_the_user_did_not_mean_is_not_armed() {
        settings = new FaultSettings(false, "haproxy-kill", 75.0, 90.0);
        assertThat(line(NONE)).isEqualTo("haproxy-kill: planned at 1:15, not armed");
    }

    @Test
    void a_fault_that_another_process_is_about_to_fire_is_armed() {
        assertThat(line(KILL)).isEqualTo("haproxy-kill: armed");
    }

    @Test
    void a_load_by_itself_has_no_fault() {
        assertThat(line(NONE)).isNull();
    }

    @Test
    void a_fault_is_followed_until_it_is_healed() {
        settings = new FaultSettings(null, null, null, 26.0);
        plan = plan.fired(at(15), at(15)).confirmed(at(16));
        assertThat(line(KILL)).isEqualTo("haproxy-kill on lb1: since 0:15, confirmed, heal at 0:26");
        plan = plan.healing(at(26), at(27)).healed(at(27));
        assertThat(line(KILL)).isEqualTo("haproxy-kill on lb1: 0:15 to 0:26, healed");
    }

    @Test
    void what_went_wrong_with_it_stands_out() {
        assertThat(line(KILL.withError("lb1 was not well"))).isEqualTo("haproxy-kill: not fired");
        plan = plan.fired(at(15), at(15));
        assertThat(line(KILL)).isEqualTo("haproxy-kill on lb1: since 0:15");
        assertThat(line(KILL.withError("lb1 still answers")))
                .isEqualTo("haproxy-kill on lb1: since 0:15, NOT CONFIRMED");
        plan = plan.confirmed(at(16)).healing(at(26), at(27));
        assertThat(line(KILL)).isEqualTo("haproxy-kill on lb1: since 0:15, NOT HEALED");
    }

    @Test
    void what_was_planned_and_never_due_was_not_fired() {
        settings = new FaultSettings(null, "haproxy-kill", 75.0, null);
        state = RunSnapshot.RunState.ENDED;
        assertThat(line(NONE)).isEqualTo("haproxy-kill: not fired");
    }

    private static long at(long second) {
        return START_US + second * US;
    }

    private String line(FaultRun fault) {
        ObservedRun observed = new ObservedRun(Path.of("run"));
        RunSettings described = new RunSettings(
                null,
                new RunSettings.ProbeSettings(null, null, null, null, null, null),
                settings,
                new RunSettings.Balancing(null, null),
                null,
                null,
                null);
        observed.describe(Run.named("r", "n").with(described).with(fault).with(plan));
        return FaultState.of(observed.snapshot(state, at(30), null));
    }
}
