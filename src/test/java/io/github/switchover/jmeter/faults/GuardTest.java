package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardTest {

    /** For what succeeds, however long a shell takes to start on a busy machine. */
    private static final Proof PATIENT = new Proof(60, 0.1, 60);

    /** For what fails: the tests wait for it. */
    private static final Proof IMPATIENT = new Proof(1, 0.1, 1);

    private static final Map<String, String> PAIR = Map.of("master", "lb1", "backup", "lb2");

    @TempDir
    Path place;

    private Recipes recipes;
    private final List<String> events = new ArrayList<>();

    @BeforeEach
    void begin() {
        recipes = new Recipes(place);
    }

    @Test
    void without_a_window_the_console_says_what_was_fired_and_healed() {
        PrintStream console = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        System.setProperty("JMeter.NonGui", "true");
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            guard.fire();
        } finally {
            System.clearProperty("JMeter.NonGui");
            System.setOut(console);
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .containsSubsequence(" on lb1: fired", ": confirmed", ": healed");
    }

    @Test
    void it_kills_proves_heals_and_tells_the_journal() {
        Firing firing;
        Healing healing;
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            assertThat(guard.hasFired()).isFalse();
            firing = guard.fire();
            assertThat(guard.hasFired()).isTrue();
            assertThat(recipes.isDown()).isTrue();
            assertThat(guard.stillDown()).isNull();
            healing = guard.heal();
            assertThat(guard.heal()).isSameAs(healing);
        }
        assertThat(firing.error()).isNull();
        assertThat(firing.fromUs()).isLessThan(firing.toUs());
        assertThat(firing.toUs()).isLessThan(firing.confirmedUs());
        assertThat(firing.confirmedUs()).isLessThan(healing.fromUs());
        assertThat(healing.error()).isNull();
        assertThat(healing.healedUs()).isGreaterThanOrEqualTo(healing.toUs());
        assertThat(recipes.log()).containsExactly("kill", "heal");
        assertThat(events).containsExactly("fault lb1 touch: confirmed", "heal lb1 touch: healed");
        assertThat(recipes.watchdogSays()).contains("touch is being fired", "the runner has healed it");
    }

    @Test
    void unarmed_it_refuses_and_runs_nothing() {
        try (Guard guard = guard(recipes.touch(), false, PAIR)) {
            assertThatThrownBy(guard::arm)
                    .isInstanceOf(FaultException.class)
                    .hasMessageContaining("switchover.armed=true");
            assertThatThrownBy(guard::fire).hasMessage("touch does not fire: it is not armed");
        }
        assertThat(recipes.log()).isEmpty();
        assertThat(recipes.watchdogSays()).isEmpty();
    }

    @Test
    void fault_that_nothing_would_prove_is_refused() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe unproved =
                new FaultRecipe("touch", touch.kill(), touch.heal(), null, touch.verifyHealed(), null, null);
        try (Guard guard = guard(unproved)) {
            assertThatThrownBy(guard::arm).hasMessageContaining("no verify_down");
        }
    }

    @Test
    void proof_that_holds_before_the_kill_would_prove_nothing() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe always =
                new FaultRecipe("touch", touch.kill(), touch.heal(), List.of("true"), touch.verifyHealed(), null, null);
        try (Guard guard = guard(always)) {
            guard.arm();
            assertThatThrownBy(guard::fire).hasMessageContaining("verify_down succeeds before the kill");
        }
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void backup_that_is_not_ready_keeps_the_master_alive() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe alone = new FaultRecipe(
                "touch",
                touch.kill(),
                touch.heal(),
                touch.verifyDown(),
                touch.verifyHealed(),
                null,
                null,
                List.of("test", "{backup}", "=", "lb3"));
        try (Guard guard = guard(alone)) {
            guard.arm();
            assertThatThrownBy(guard::fire).hasMessageContaining("the backup is not fit to take over");
        }
        assertThat(recipes.isDown()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"master", "backup"})
    void node_that_the_recipe_needs_must_be_known(String name) {
        FaultRecipe touch = recipes.touch();
        FaultRecipe needing = new FaultRecipe(
                "touch", touch.kill(), List.of("echo", "{" + name + "}"), touch.verifyDown(), null, null, null);
        String other = name.equals("master") ? "backup" : "master";
        try (Guard guard = guard(needing, true, Map.of(other, "lb9", name, ""))) {
            assertThatThrownBy(guard::arm).hasMessageContaining("the " + name + " is not known");
        }
    }

    @Test
    void names_are_filled_in_when_it_fires() throws IOException {
        FaultRecipe touch = recipes.touch();
        List<String> kill = List.of(
                "sh", "-c", "echo \"$1\" > \"$0\"", place.resolve("down").toString(), "{master} {backup}");
        try (Guard guard = guard(new FaultRecipe("touch", kill, touch.heal(), touch.verifyDown(), null, null, null))) {
            guard.arm();
            guard.fire();
            assertThat(Files.readString(place.resolve("down"))).isEqualTo("lb1 lb2\n");
        }
    }

    @Test
    void of_two_guards_of_a_run_one_fires() throws IOException {
        try (Guard first = guard(recipes.touch());
                Guard second = guard(recipes.touch())) {
            first.arm();
            second.arm();
            first.fire();
            assertThatThrownBy(second::fire)
                    .isInstanceOf(FaultException.class)
                    .hasMessageContaining("fired in this run already");
            assertThatThrownBy(first::fire).hasMessageContaining("fired in this run already");
        }
        assertThat(recipes.log()).containsExactly("kill", "heal");
        assertThat(Files.readString(place.resolve(Claim.FILE)))
                .isEqualTo("touch by process " + ProcessHandle.current().pid() + "\n");
    }

    @Test
    void closing_heals() {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            guard.fire();
        }
        assertThat(recipes.isDown()).isFalse();
        assertThat(events).last().isEqualTo("heal lb1 touch: healed");
    }

    @Test
    void closing_without_a_fault_heals_nothing_and_leaves_no_watchdog() throws InterruptedException {
        Guard guard = guard(recipes.touch());
        guard.arm();
        guard.close();
        guard.close();
        assertThat(recipes.log()).isEmpty();
        assertThat(guard.heal().healedUs()).isNull();
        Until.reached(() -> Watchdogs.of(place).isEmpty());
    }

    @Test
    void fault_that_its_proof_does_not_see_is_not_confirmed_and_healed_all_the_same() {
        Firing firing;
        try (Guard guard = guard(recipes.recipe("exit 3", "true"), IMPATIENT)) {
            guard.arm();
            firing = guard.fire();
        }
        assertThat(firing.confirmedUs()).isNull();
        assertThat(firing.error())
                .startsWith("touch is not confirmed: its proof did not hold within 1 s: `sh …`: exit status 1")
                .endsWith("; its kill did not succeed: [fault.touch] kill: `sh …`: exit status 3");
        assertThat(recipes.log()).containsExactly("kill", "heal");
    }

    @Test
    void fault_that_is_undone_at_once_is_not_confirmed() {
        try (Guard guard = guard(provedBy("test -e down && rm down"), IMPATIENT)) {
            guard.arm();
            Firing firing = guard.fire();
            assertThat(firing.confirmedUs()).isNull();
            assertThat(firing.error()).contains("s later no more (`sh …`: exit status 1); does a supervisor");
        }
    }

    @Test
    void proof_that_cannot_be_asked_twice_accuses_no_supervisor() {
        FaultRecipe slow = provedBy("test -e down || exit 1; test ! -e asked || exec sleep 60; touch asked");
        try (Guard guard = guard(slow, IMPATIENT)) {
            guard.arm();
            assertThat(guard.fire().error())
                    .contains("held once, and was not to be had a second time: `sh …`: no end")
                    .doesNotContain("supervisor");
        }
    }

    @Test
    void fault_that_did_not_last_is_noticed() throws IOException {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            guard.fire();
            Files.delete(place.resolve("down"));
            assertThat(guard.stillDown())
                    .startsWith("touch: it was up again before the heal: [fault.touch] verify_down: `sh …`:");
        }
    }

    @Test
    void kill_that_cannot_be_run_was_not_fired() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe missing = new FaultRecipe(
                "touch", List.of("no-such-program"), touch.heal(), touch.verifyDown(), null, null, null);
        try (Guard guard = guard(missing)) {
            guard.arm();
            assertThat(guard.fire().error())
                    .isEqualTo("touch was not fired: [fault.touch] kill: `no-such-program`: cannot be run: "
                            + "No such file or directory");
        }
    }

    @Test
    void failed_heal_is_said_loudly_and_the_watchdog_goes_on() throws InterruptedException {
        String twiceInVain = "test $(grep -c heal log) -ge 3 && rm -f down";
        Healing healing;
        Guard guard = guard(recipes.recipe("touch down", twiceInVain), IMPATIENT);
        guard.arm();
        guard.fire();
        healing = guard.heal();
        assertThat(healing.healedUs()).isNull();
        assertThat(healing.error())
                .startsWith("touch IS NOT HEALED: [fault.touch] heal: `sh …`: exit status 1; "
                        + "[fault.touch] verify_healed: `sh …`: exit status 1; the watchdog goes on for 60 s (see ")
                .endsWith("; heal it by hand, as [fault.touch] of the target file says");
        guard.close();
        assertThat(guard.mended()).isEqualTo("touch: healed by the watchdog in the end");
        assertThat(recipes.isDown()).isFalse();
        assertThat(recipes.watchdogSays()).contains("heal: exit status 0", "touch is HEALED");
        assertThat(events).last().isEqualTo("heal lb1 touch: healed by the watchdog in the end");
    }

    @Test
    void heal_from_another_thread_cuts_the_proof_short() throws InterruptedException {
        Guard guard = guard(recipes.touch(), new Proof(60, 60, 60));
        guard.arm();
        Thread firing = new Thread(guard::fire);
        firing.start();
        Until.reached(recipes::isDown);
        guard.heal();
        firing.join();
        guard.close();
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void dead_man_is_armed_before_the_kill_or_nothing_fires() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe refused = new FaultRecipe(
                "touch",
                touch.kill(),
                touch.heal(),
                touch.verifyDown(),
                null,
                recipes.sh("echo no timer; exit 5"),
                null);
        try (Guard guard = guard(refused)) {
            guard.arm();
            assertThatThrownBy(guard::fire)
                    .hasMessage("touch does not fire: its dead-man could not be armed: [fault.touch] deadman: `sh …`: "
                            + "exit status 5 (no timer)");
        }
        assertThat(recipes.log()).isEmpty();
        FaultRecipe taken = new FaultRecipe(
                "touch", touch.kill(), touch.heal(), touch.verifyDown(), null, recipes.logged("deadman", "true"), null);
        try (Guard guard = guard(taken)) {
            guard.arm();
            guard.fire();
        }
        assertThat(recipes.log()).containsExactly("deadman", "kill", "heal");
    }

    @Test
    void fault_that_cuts_the_way_needs_a_dead_man() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe cutting =
                new FaultRecipe("node-down", touch.kill(), touch.heal(), touch.verifyDown(), null, null, null);
        assertThatThrownBy(() -> Deadman.require(cutting))
                .isInstanceOf(FaultException.class)
                .hasMessageContaining("systemd-run");
        Deadman.require(touch);
    }

    @Test
    void watchdog_that_cannot_write_its_log_is_no_watchdog() throws IOException {
        Path file = Files.createFile(place.resolve("no-directory"));
        Guard guard =
                new Guard(recipes.touch(), RunClock.ofProcess(), this::note, true, PAIR, file.resolve("run"), PATIENT);
        assertThatThrownBy(guard::arm)
                .isInstanceOf(FaultException.class)
                .hasMessageContaining("its watchdog did not start");
    }

    @Test
    void watchdog_that_has_died_keeps_the_fault_from_being_fired() throws InterruptedException {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            Watchdogs.of(place).forEach(ProcessHandle::destroyForcibly);
            Until.reached(() -> Watchdogs.of(place).isEmpty());
            assertThatThrownBy(guard::fire).hasMessageContaining("its watchdog has died");
        }
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void interrupted_thread_heals_to_the_end() {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            guard.fire();
            Thread.currentThread().interrupt();
            assertThat(guard.heal().error()).isNull();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(recipes.isDown()).isFalse();
    }

    /** The usual fault, with a script of the test's own that is to prove it. */
    private FaultRecipe provedBy(String script) {
        FaultRecipe touch = recipes.touch();
        return new FaultRecipe(
                touch.name(), touch.kill(), touch.heal(), recipes.sh(script), touch.verifyHealed(), null, null);
    }

    private Guard guard(FaultRecipe recipe) {
        return guard(recipe, true, PAIR);
    }

    private Guard guard(FaultRecipe recipe, boolean armed, Map<String, String> names) {
        return new Guard(recipe, RunClock.ofProcess(), this::note, armed, names, place, PATIENT);
    }

    private Guard guard(FaultRecipe recipe, Proof proof) {
        return new Guard(recipe, RunClock.ofProcess(), this::note, true, PAIR, place, proof);
    }

    private void note(EventKind kind, String text, long timeNs, String node, String id) {
        assertThat(timeNs).isPositive();
        events.add(kind.label() + " " + node + " " + text);
    }
}
