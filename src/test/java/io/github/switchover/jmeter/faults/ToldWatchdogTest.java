package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.BootTime;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.NodeClaim;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a guard tells its watchdog, and when. */
class ToldWatchdogTest {

    @TempDir
    Path place;

    private Recipes recipes;

    @BeforeEach
    void begin() {
        recipes = new Recipes(place);
    }

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
                                + " was in force again after its heal: the watchdog heals it again\"");
    }

    @Test
    void what_is_not_there_is_not_told() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        watchdog.undo().take(new Undo("touch", List.of(), null, null, null, List.of(), null));
        watchdog.undo().close();
        assertThat(watchdog.told()).hasSize(3).noneMatch(line -> line.startsWith("heal"));
    }

    @Test
    void then_each_step_when_it_is_made_and_the_heal_moves_with_the_kill_and_its_proof() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), null)) {
            guard.arm();
            guard.fire(1.5, BootTime.seconds());
            guard.heal();
        }
        assertThat(watchdog.steps())
                .containsExactly(
                        "firing", "within 150", "group", "within 150", "fired", "within 150", "healing", "healed");
    }

    @Test
    void a_guard_that_is_armed_already_has_nothing_to_tell() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), null)) {
            guard.arm();
            guard.arm();
        }
        watchdog.undo().close();
        assertThat(watchdog.told()).containsOnlyOnce("name touch");
    }

    @Test
    void without_a_time_for_the_heal_none_is_told() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), null)) {
            guard.arm();
            guard.fire(null, BootTime.seconds());
        }
        assertThat(watchdog.steps())
                .containsSubsequence("firing", "group", "beat", "fired", "healing", "healed")
                .noneMatch(step -> step.startsWith("within"));
    }

    @Test
    void a_beat_is_told_while_the_fault_is_in_force() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), null)) {
            guard.beat();
            guard.arm();
            guard.beat();
            guard.fire(1.5, BootTime.seconds());
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
    void claimed_nodes_are_released_after_the_heal() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), claim("true", "true"))) {
            guard.arm();
            guard.fire(1.5, BootTime.seconds());
        }
        assertThat(watchdog.steps()).startsWith("claimed", "firing").endsWith("healed", "released");
    }

    @Test
    void nodes_that_cannot_be_claimed_need_no_release() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        Guard guard = guard(watchdog, recipes.touch(), claim("false", "true"));
        assertThatThrownBy(guard::arm).hasMessageContaining("the nodes cannot be claimed");
        guard.close();
        watchdog.undo().close();
        assertThat(watchdog.steps()).containsExactly("claimed", "released");
        assertThat(recipes.log()).containsExactly("claim");
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
    void nodes_that_cannot_be_released_are_named() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        try (Guard guard = guard(watchdog, recipes.touch(), claim("true", "exit 4"))) {
            guard.arm();
        }
        watchdog.undo().close();
        assertThat(recipes.events())
                .containsExactly("warning lb1 the nodes are not released: [target] release: `sh …`: exit status 4");
    }

    @Test
    void nodes_whose_fault_is_not_healed_are_left_to_the_watchdog() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place, 1);
        GuardedFault fault =
                new GuardedFault(recipes.recipe("touch down", "false"), "lb1", claim("true", "true"), null);
        HealPace brief = new HealPace(0.5, 0.1, 60, 60);
        Guard guard = recipes.guard(fault, new TargetHold(watchdog.undo()), Recipes.CONNECTIONS, brief);
        guard.arm();
        guard.fire(null, BootTime.seconds());
        assertThat(guard.heal().error()).contains("(see " + place.resolve(UndoList.LOG_FILE) + ")");
        guard.close();
        assertThat(watchdog.steps()).endsWith("healing").doesNotContain("released", "healed");
        assertThat(guard.lastWords()).isNull();
    }

    @Test
    void a_watchdog_that_does_not_end_well_after_the_heal_has_the_last_word() throws Exception {
        Guard guard = guard(new ToldWatchdog(place, 1), recipes.touch(), null);
        guard.arm();
        guard.fire(null, BootTime.seconds());
        assertThat(guard.heal().error()).isNull();
        guard.close();
        assertThat(guard.lastWords())
                .isEqualTo("touch IS NOT HEALED: it was in force again after its heal; the watchdog has ended (exit"
                        + " status 1) and heals nothing (see " + place.resolve(UndoList.LOG_FILE)
                        + "); heal it by hand, as [fault.touch] of the target file says");
        assertThat(recipes.events()).last().isEqualTo("warning lb1 " + guard.lastWords());
    }

    @Test
    void a_watchdog_that_died_after_the_heal_leaves_a_warning_and_no_last_word() throws Exception {
        Guard guard = guard(new ToldWatchdog(place, 137), recipes.touch(), null);
        guard.arm();
        guard.fire(null, BootTime.seconds());
        assertThat(guard.heal().error()).isNull();
        guard.close();
        assertThat(guard.lastWords()).isNull();
        assertThat(recipes.events())
                .last()
                .isEqualTo("warning lb1 touch: the watchdog has ended (exit status 137) and heals nothing (see "
                        + place.resolve(UndoList.LOG_FILE) + "); nothing looked whether the fault stayed healed");
    }

    @Test
    void one_that_has_ended_is_none_also_where_its_pipe_is_still_open() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "exec 3<&0; cat <&3 >/dev/null &").start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        UndoList undo = new UndoList("touch", place.resolve(UndoList.LOG_FILE), process);
        assertThatThrownBy(undo::firing).hasMessageStartingWith("touch does not fire: its watchdog has died");
        undo.close();
    }

    @Test
    void the_same_is_not_said_all_the_time_while_it_heals() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        FaultRecipe slow = FaultRecipe.named("touch")
                .with(Step.HEAL, recipes.sh("true"))
                .with(Step.VERIFY_HEALED, recipes.sh("until test $(grep -c healing told) -ge 3; do sleep 0.05; done"));
        Healing healing = new Healer(slow, RunClock.ofProcess(), new HealPace(60, 1, 60, 60), watchdog.undo()).heal();
        watchdog.undo().close();
        long halfSeconds = (healing.healedUs() - healing.fromUs()) / 500_000;
        long said = watchdog.told().stream().filter("healing"::equals).count();
        assertThat(said).isLessThanOrEqualTo(2 + halfSeconds);
        assertThat(watchdog.steps()).containsExactly("healing", "healed");
    }

    @Test
    void a_heal_without_a_proof_is_told_too() throws Exception {
        ToldWatchdog watchdog = new ToldWatchdog(place);
        FaultRecipe unproved = FaultRecipe.named("touch").with(Step.HEAL, recipes.sh("true"));
        new Healer(unproved, RunClock.ofProcess(), Recipes.HELD_HEAL, watchdog.undo()).heal();
        watchdog.undo().close();
        assertThat(watchdog.steps()).containsExactly("healing", "healed");
    }

    private NodeClaim claim(String claim, String release) {
        return new NodeClaim(recipes.logged("claim", claim), recipes.logged("release", release), List.of());
    }

    private Guard guard(ToldWatchdog watchdog, FaultRecipe recipe, NodeClaim claim) {
        return recipes.guard(
                new GuardedFault(recipe, "lb1", claim, null),
                new TargetHold(watchdog.undo()),
                Recipes.CONNECTIONS,
                Recipes.HELD_HEAL);
    }
}
