package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import io.github.switchover.jmeter.faults.UndoList.Undo;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a guard tells its watchdog, and when. */
class ToldWatchdogTest extends FaultFolder {

    @Test
    void first_it_is_told_what_is_to_be_undone() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        FaultRecipe touch = recipes.touch();
        NodeClaim claim = claim("true", "true");
        watchdog.undo().take(Undo.of(touch, claim));
        watchdog.undo().close();
        String run = ",run=" + place.getFileName() + " text=\"touch";
        assertThat(watchdog.told())
                .containsExactly(
                        "name touch",
                        "heal " + UndoList.quoted(touch.command(Step.HEAL)),
                        "verify " + UndoList.quoted(touch.command(Step.VERIFY_HEALED)),
                        "release " + UndoList.quoted(claim.release()),
                        "down " + UndoList.quoted(touch.command(Step.VERIFY_DOWN)),
                        "mark switchover_event,kind=heal" + run + ": healed by the watchdog\"",
                        "relapse switchover_event,kind=warning" + run
                                + " was in force again after its heal: the watchdog heals the fault again\"");
    }

    @Test
    void then_each_step_when_it_is_made_and_the_heal_moves_with_the_kill_and_its_proof() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), null)) {
            guard.arm();
            guard.fire(1.5, RunClock.bootSeconds());
            guard.heal();
        }
        assertThat(watchdog.steps())
                .containsExactly(
                        "firing", "within 150", "group", "within 150", "fired", "within 150", "healing", "healed");
    }

    @Test
    void a_beat_is_told_while_the_fault_is_in_force() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), null)) {
            guard.beat();
            guard.arm();
            guard.beat();
            guard.fire(1.5, RunClock.bootSeconds());
            guard.beat();
            guard.heal();
            guard.beat();
        }
        assertThat(watchdog.steps())
                .startsWith("firing", "within 150", "group")
                .endsWith("fired", "within 150", "beat", "healing", "healed")
                .containsOnlyOnce("beat");
    }

    @Test
    void a_repeated_beat_is_told_twice_a_second_and_another_line_at_once() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        UndoList undo = watchdog.undo();
        long beganNs = System.nanoTime();
        undo.beat(null);
        Until.reached(() -> {
            undo.beat(null);
            return watchdog.told().size() > 1;
        });
        assertThat(Units.secondsOfNs(System.nanoTime() - beganNs)).isGreaterThan(0.5);
        undo.beat(1.5);
        undo.beat(1.5);
        undo.close();
        assertThat(watchdog.told()).startsWith("beat", "beat", "within 150").hasSize(3);
    }

    @Test
    void claimed_nodes_are_released_after_the_heal() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), claim("true", "true"))) {
            guard.arm();
            guard.fire(1.5, RunClock.bootSeconds());
        }
        assertThat(watchdog.steps()).startsWith("claimed", "firing").endsWith("healed", "released");
    }

    @Test
    void nodes_whose_fault_is_not_fired_are_released() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), claim("true", "true"))) {
            guard.arm();
        }
        watchdog.undo().close();
        assertThat(watchdog.steps()).containsExactly("claimed", "released");
        assertThat(recipes.log()).containsExactly("claim", "release");
    }

    @Test
    void nodes_whose_fault_is_not_healed_are_left_to_the_watchdog() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place, 1);
        GuardedFault fault =
                new GuardedFault(recipes.recipe("touch down", "false"), "lb1", claim("true", "true"), null);
        HealPace brief = new HealPace(0.5, 0.1, 60, 60);
        Guard guard = recipes.guard(fault, watchdog.undo(), Recipes.CONNECTIONS, brief);
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        assertThat(guard.heal().error()).contains("(see " + place.resolve(UndoList.LOG_FILE) + ")");
        guard.close();
        assertThat(watchdog.steps()).endsWith("healing").doesNotContain("released", "healed");
        assertThat(guard.lastWords()).isNull();
    }

    @Test
    void a_watchdog_that_does_not_end_well_after_the_heal_has_the_last_word() throws Exception {
        Guard guard = guard(new ToldWatchdog(place, 1), recipes.touch(), null);
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        assertThat(guard.heal().error()).isNull();
        guard.close();
        assertThat(guard.lastWords())
                .isEqualTo("touch IS NOT HEALED: it was in force again after its heal; the watchdog has ended (exit"
                        + " status 1) and heals nothing (see " + place.resolve(UndoList.LOG_FILE)
                        + "); heal the fault by hand with the commands in [fault.touch] of the target file");
        assertThat(recipes.events()).last().isEqualTo("warning lb1 " + guard.lastWords());
    }

    @Test
    void a_watchdog_that_has_died_after_the_heal_and_nodes_that_are_not_released_are_warnings() throws Exception {
        Guard guard = guard(new ToldWatchdog(place, 2), recipes.touch(), claim("true", "exit 3"));
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        assertThat(guard.heal().error()).isNull();
        guard.close();
        assertThat(guard.lastWords()).isNull();
        assertThat(recipes.events())
                .endsWith(
                        "warning lb1 the nodes are not released: [target] release: `sh …`: exit status 3",
                        "warning lb1 touch: the watchdog has ended (exit status 2) and heals nothing (see "
                                + place.resolve(UndoList.LOG_FILE)
                                + "); nothing checked whether the fault stayed healed");
    }

    @Test
    void one_that_has_ended_is_none_also_where_its_pipe_is_still_open() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "exec 3<&0; cat <&3 >/dev/null &").start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        UndoList undo = new UndoList("touch", place.resolve(UndoList.LOG_FILE), process);
        assertThatThrownBy(undo::firing).hasMessageStartingWith("touch does not fire: its watchdog has died");
        undo.close();
    }

    private NodeClaim claim(String claim, String release) {
        return new NodeClaim(recipes.logged("claim", claim), recipes.logged("release", release), List.of());
    }

    private Guard guard(ToldWatchdog watchdog, FaultRecipe recipe, NodeClaim claim) {
        return recipes.guard(
                new GuardedFault(recipe, "lb1", claim, null), watchdog.undo(), Recipes.CONNECTIONS, Recipes.HELD_HEAL);
    }
}
