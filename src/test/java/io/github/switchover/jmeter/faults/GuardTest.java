package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Guard.Firing;
import io.github.switchover.jmeter.faults.Guard.Healing;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuardTest extends FaultFolder {

    /** For what fails: the tests wait for it, and so long may a shell take to start. */
    private static final Proof IMPATIENT = new Proof(3, 0.1, 60);

    private static final Map<String, String> PAIR = Map.of("master", "lb1", "backup", "lb2");

    @Test
    void it_kills_proves_heals_and_tells_the_journal() {
        Firing firing;
        Healing healing;
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            assertThat(guard.stillDown()).isNull();
            firing = guard.fire(null, RunClock.bootSeconds());
            assertThat(recipes.isDown()).isTrue();
            assertThat(guard.stillDown()).isNull();
            healing = guard.heal();
            assertThat(guard.heal()).isSameAs(healing);
            assertThat(guard.stillDown()).isNull();
        }
        assertThat(firing.error()).isNull();
        assertThat(firing.fromUs()).isLessThan(firing.toUs());
        assertThat(firing.toUs()).isLessThan(firing.confirmedUs());
        assertThat(firing.confirmedUs()).isLessThan(healing.fromUs());
        assertThat(healing.error()).isNull();
        assertThat(List.of(healing.fromUs(), healing.toUs(), healing.healedUs()))
                .isSorted();
        assertThat(recipes.log()).containsExactly("kill", "heal");
        assertThat(recipes.events()).containsExactly("fault lb1 touch: confirmed", "heal lb1 touch: healed");
        assertThat(recipes.watchdogSays()).contains("touch is being fired", "the runner has healed the fault");
    }

    @Test
    void unarmed_it_refuses_and_runs_nothing() {
        try (Guard guard = guard(recipes.touch())) {
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .hasMessage("touch does not fire: it is not armed");
            assertThatThrownBy(guard::dryRun).hasMessage("touch is not dry run: it is not armed");
        }
        assertThat(recipes.log()).isEmpty();
        assertThat(recipes.watchdogSays()).isEmpty();
    }

    @Test
    void fault_that_nothing_would_prove_is_refused() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe unproved = Recipe.with(touch, Step.VERIFY_DOWN, null);
        try (Guard guard = guard(unproved)) {
            assertThatThrownBy(guard::arm).hasMessageContaining("no verify_down");
        }
    }

    @Test
    void proof_that_holds_before_the_kill_would_prove_nothing() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe always = Recipe.with(touch, Step.VERIFY_DOWN, List.of("true"));
        try (Guard guard = guard(always)) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .hasMessageContaining("verify_down succeeds before the kill");
        }
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void heals_proof_that_fails_before_the_kill_keeps_the_master_alive() {
        FaultRecipe unwell = Recipe.with(recipes.touch(), Step.VERIFY_HEALED, List.of("false"));
        try (Guard guard = guard(unwell)) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .hasMessageContaining("verify_healed fails before the kill");
        }
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void heals_proof_that_holds_while_the_fault_is_in_force_would_prove_any_heal() {
        FaultRecipe blind = Recipe.with(recipes.touch(), Step.VERIFY_HEALED, List.of("true"));
        try (Guard guard = guard(blind)) {
            guard.arm();
            Firing firing = guard.fire(null, RunClock.bootSeconds());
            assertThat(firing.confirmedUs()).isNull();
            assertThat(firing.error())
                    .isEqualTo("touch is not confirmed: verify_down succeeds, and so does [fault.touch] verify_healed: "
                            + "`true`: exit status 0; one of the two commands does not check the effect of the fault");
        }
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void checks_that_were_made_before_a_long_stop_are_not_believed() {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds() - 100))
                    .hasMessageMatching(
                            "touch does not fire: its preflight began 1\\d\\d s ago, and may be out of date.*");
        }
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void dry_run_does_all_but_the_kill() {
        FaultRecipe recipe = Recipe.with(
                recipes.touch(),
                Step.DEADMAN,
                recipes.logged("deadman {master}", "true"),
                Step.DISARM,
                recipes.logged("disarm {master}", "true"));
        try (Guard guard = guard(recipe)) {
            guard.arm();
            guard.dryRun();
        }
        assertThat(recipes.log()).containsExactly("deadman lb1", "disarm lb1");
        assertThat(recipes.events()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"KILL", "HEAL"})
    void program_that_is_not_installed_keeps_the_fault_from_being_fired(Step step) {
        FaultRecipe missing = Recipe.with(recipes.touch(), step, List.of("no-such-program"));
        try (Guard guard = guard(missing)) {
            guard.arm();
            assertThatThrownBy(guard::dryRun)
                    .hasMessage(
                            "touch does not fire: [fault.touch] %s: `no-such-program`: cannot run: no such program"
                                    + " is installed here",
                            step.label());
        }
    }

    @Test
    void kill_that_cannot_be_started_any_more_is_a_fault_that_was_not_fired() throws IOException {
        Path kill = Files.writeString(place.resolve("kill"), "#!/bin/sh\n");
        assertThat(kill.toFile().setExecutable(true)).isTrue();
        FaultRecipe gone =
                Recipe.with(recipes.touch(), Step.KILL, List.of(kill.toString()), Step.DEADMAN, recipes.sh("rm kill"));
        try (Guard guard = guard(gone)) {
            guard.arm();
            Firing firing = guard.fire(null, RunClock.bootSeconds());
            assertThat(firing.confirmedUs()).isNull();
            assertThat(firing.error()).startsWith("touch was not fired: [fault.touch] kill: ");
        }
    }

    @Test
    void fault_without_a_heal_may_be_over_before_the_end() throws IOException {
        try (Guard guard = guard(Recipe.with(recipes.recipe("touch down", null), Step.VERIFY_HEALED, null))) {
            guard.arm();
            assertThat(guard.fire(null, RunClock.bootSeconds()).error()).isNull();
            Files.delete(place.resolve("down"));
            assertThat(guard.stillDown()).isNull();
        }
    }

    @Test
    void nodes_are_claimed_before_the_kill_and_released_after_the_heal() {
        NodeClaim claim = new NodeClaim(
                recipes.logged("claim {master}", "true"), recipes.logged("release {master}", "true"), List.of());
        try (Guard guard = guard(recipes.touch(), claim)) {
            guard.arm();
            guard.fire(null, RunClock.bootSeconds());
        }
        assertThat(recipes.log()).containsExactly("claim lb1", "kill", "heal", "release lb1");
        assertThat(recipes.events()).last().isEqualTo("heal lb1 touch: healed");
    }

    @Test
    void nodes_that_cannot_be_claimed_are_left_alone() {
        NodeClaim taken =
                new NodeClaim(recipes.sh("echo taken by others; exit 3"), recipes.logged("release", "true"), List.of());
        try (Guard guard = guard(recipes.touch(), taken)) {
            assertThatThrownBy(guard::arm)
                    .hasMessage("touch does not fire: the command claim of [target] failed: `sh …`: "
                            + "exit status 3 (taken by others)");
        }
        assertThat(recipes.log()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"master", "backup"})
    void node_that_the_recipe_needs_must_be_known(String name) {
        FaultRecipe touch = recipes.touch();
        FaultRecipe needing = Recipe.with(touch, Step.HEAL, List.of("echo", "{" + name + "}"));
        String other = name.equals("master") ? "backup" : "master";
        try (Guard guard = guard(Recipes.alone(needing, Map.of(other, "lb9", name, "")), Recipes.CONNECTIONS)) {
            assertThatThrownBy(guard::arm)
                    .hasMessage("touch does not fire: a command contains {%s}, but the %s is not known", name, name);
        }
    }

    @Test
    void of_two_guards_of_a_run_one_fires() throws IOException {
        try (Guard first = guard(recipes.touch());
                Guard second = guard(recipes.touch())) {
            first.arm();
            second.arm();
            first.fire(null, RunClock.bootSeconds());
            assertThatThrownBy(() -> second.fire(null, RunClock.bootSeconds()))
                    .isInstanceOf(FaultException.class)
                    .hasMessageContaining("does not fire");
            assertThatThrownBy(() -> first.fire(null, RunClock.bootSeconds())).hasMessageContaining("does not fire");
        }
        assertThat(recipes.log()).containsExactly("kill", "heal");
        assertThat(place.resolve(Guard.FIRED_FILE)).exists();
    }

    @Test
    void nothing_is_fired_once_the_test_is_stopped_or_the_heal_was_asked_for() {
        String refusal = "touch does not fire: the test was stopped before";
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            assertThatThrownBy(() -> guard.unless(() -> true).fire(null, RunClock.bootSeconds()))
                    .hasMessage(refusal);
            assertThat(guard.heal())
                    .extracting(Healing::healedUs, Healing::error)
                    .containsOnlyNulls();
            assertThatThrownBy(() -> guard.unless(() -> false).fire(null, RunClock.bootSeconds()))
                    .hasMessage(refusal);
        }
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void a_run_in_which_another_process_has_fired_fires_nothing() throws IOException {
        Files.createFile(place.resolve(Guard.FIRED_FILE));
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .isInstanceOf(FaultException.class)
                    .hasMessageContaining("a fault was fired in this run already");
        }
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void fault_that_its_proof_does_not_see_is_not_confirmed_and_healed_all_the_same() {
        Firing firing;
        try (Guard guard = guard(recipes.recipe("exit 3", "true"), IMPATIENT)) {
            guard.arm();
            firing = guard.fire(null, RunClock.bootSeconds());
        }
        assertThat(firing.confirmedUs()).isNull();
        assertThat(firing.error())
                .startsWith(
                        "touch is not confirmed: the proof command did not succeed within 3 s: `sh …`: exit status 1")
                .endsWith("; the kill command did not succeed: [fault.touch] kill: `sh …`: exit status 3");
        assertThat(recipes.log()).containsExactly("kill", "heal");
    }

    @Test
    void fault_that_is_undone_at_once_is_not_confirmed() {
        try (Guard guard = guard(provedBy("test -e down && rm down"), IMPATIENT)) {
            guard.arm();
            Firing firing = guard.fire(null, RunClock.bootSeconds());
            assertThat(firing.confirmedUs()).isNull();
            assertThat(firing.error())
                    .containsPattern(
                            "the proof command succeeded once, but not again [0-9]\\.[0-9] s later \\(`sh …`: exit"
                                    + " status 1\\); does a supervisor");
        }
    }

    @Test
    void fault_that_did_not_last_is_noticed() throws IOException {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            guard.fire(null, RunClock.bootSeconds());
            Files.delete(place.resolve("down"));
            assertThat(guard.stillDown())
                    .startsWith("touch: the fault was over before the heal: [fault.touch] verify_down: `sh …`:");
        }
    }

    @Test
    void dead_man_is_named_where_the_fault_was_up_again_and_one_that_stays_armed_is_a_warning() throws IOException {
        FaultRecipe recipe = Recipe.with(recipes.touch(), Step.DEADMAN, List.of("true"), Step.DISARM, List.of("false"));
        try (Guard guard = guard(recipe)) {
            guard.arm();
            guard.fire(null, RunClock.bootSeconds());
            Files.delete(place.resolve("down"));
            assertThat(guard.stillDown())
                    .startsWith(
                            "touch: the fault was over before the heal (perhaps by its dead-man, or by the dead-man of"
                                    + " an earlier drill): ");
        }
        assertThat(recipes.events())
                .last()
                .isEqualTo("warning lb1 the dead-man of touch is not disarmed and will heal the node later:"
                        + " [fault.touch] disarm: `false`: exit status 1");
    }

    @Test
    void node_that_ssh_does_not_reach_proves_nothing() throws IOException {
        Path ssh = Files.writeString(
                place.resolve("ssh"), "#!/bin/sh\ncd '" + place + "'\ntest -e cut && exit 255\ntest -e down\n");
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        FaultRecipe far =
                Recipe.with(recipes.touch(), Step.VERIFY_DOWN, List.of(ssh.toString(), "lb1", "! pidof haproxy"));
        Files.createFile(place.resolve("cut"));
        try (Guard guard = guard(far)) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .isInstanceOf(FaultException.class)
                    .hasMessageContaining("its verify_down cannot run");
            Files.delete(place.resolve("cut"));
            assertThat(guard.fire(null, RunClock.bootSeconds()).error()).isNull();
            Files.createFile(place.resolve("cut"));
            assertThat(guard.stillDown())
                    .startsWith(
                            "touch: it is unknown whether the fault lasted until the heal: [fault.touch] verify_down: ");
        }
    }

    @Test
    void failed_heal_is_said_loudly_and_the_watchdog_goes_on() throws Exception {
        String atFirstInVain = "test -e given-up && rm -f down";
        Healing healing;
        GuardedFault fault = Recipes.alone(recipes.recipe("touch down", atFirstInVain), PAIR);
        Guard guard = recipes.guard(fault, null, Recipes.CONNECTIONS, new HealPace(3, 0.1, 60, 60));
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        healing = guard.heal();
        assertThat(healing.healedUs()).isNull();
        assertThat(healing.error())
                .startsWith(
                        "touch IS NOT HEALED: [fault.touch] heal: `sh …`: exit status 1; "
                                + "[fault.touch] verify_healed: `sh …`: exit status 1; the watchdog continues for up to 6 hours (see ")
                .endsWith("; heal the fault by hand with the commands in [fault.touch] of the target file");
        Files.createFile(place.resolve("given-up"));
        guard.close();
        assertThat(guard.lastWords()).isEqualTo("touch: finally healed by the watchdog");
        assertThat(recipes.isDown()).isFalse();
        assertThat(recipes.watchdogSays()).contains("heal: exit status 0", "touch is HEALED");
        assertThat(recipes.events()).last().isEqualTo("heal lb1 touch: finally healed by the watchdog");
    }

    @Test
    void what_the_kill_has_left_running_ends_with_the_heal() throws Exception {
        String again = "touch down; (while sleep 0.02; do touch down; done) >/dev/null 2>&1 & echo $! > pid";
        GuardedFault fault = Recipes.alone(recipes.recipe(again, "rm -f down"), PAIR);
        // What the kill has left running may undo the first heal.
        try (Guard guard = recipes.guard(fault, null, Recipes.CONNECTIONS, new HealPace(60, 0.1, 60, 1))) {
            guard.arm();
            assertThat(guard.fire(null, RunClock.bootSeconds()).error()).isNull();
            assertThat(guard.heal().error()).isNull();
            long left = Long.parseLong(Until.written(place.resolve("pid")));
            Until.reached(() -> !Until.lives(left));
        }
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void what_comes_back_after_the_heal_is_healed_again_until_the_run_ends() throws Exception {
        Guard guard = guard(recipes.touch());
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        assertThat(guard.heal().error()).isNull();
        Files.createFile(place.resolve("down"));
        Until.reached(() -> recipes.watchdogSays().contains("touch is HEALED"));
        Files.createFile(place.resolve("down"));
        guard.close();
        assertThat(recipes.isDown()).isFalse();
        assertThat(recipes.log()).containsExactly("kill", "heal", "heal", "heal");
        assertThat(guard.lastWords()).isNull();
        assertThat(Until.text(place.resolve("journal-watchdog.lp")))
                .contains(
                        ",kind=warning,run=",
                        "touch was in force again after its heal: the watchdog heals the fault again");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exec sleep 1000", "exec yes"})
    void kill_that_does_not_end_is_ended_once_the_fault_is_there(String never) {
        try (Guard guard = guard(recipes.recipe("touch down; " + never, "rm -f down"), new Proof(60, 0.1, 0.1))) {
            guard.arm();
            Firing firing = guard.fire(null, RunClock.bootSeconds());
            assertThat(firing.error()).isNull();
            assertThat(Units.secondsOfUs(firing.toUs() - firing.fromUs())).isLessThan(CommandRunner.COMMAND_TIMEOUT_S);
            assertThat(guard.heal().error()).isNull();
        }
    }

    @Test
    void kill_ends_by_itself_unless_it_runs_for_long_and_the_fault_is_there() {
        try (Guard guard = guard(recipes.recipe("touch down; sleep 0.6; echo killed >> log", "rm -f down"))) {
            guard.arm();
            guard.fire(null, RunClock.bootSeconds());
        }
        assertThat(recipes.log()).containsExactly("kill", "killed", "heal");
    }

    @Test
    void kill_that_runs_for_long_goes_on_until_the_fault_is_there() {
        String slow = "sleep 1.2; touch down; exec sleep 1000";
        try (Guard guard = guard(recipes.recipe(slow, "rm -f down"), new Proof(60, 0.1, 0.1))) {
            guard.arm();
            assertThat(guard.fire(null, RunClock.bootSeconds()).error()).isNull();
        }
    }

    @Test
    void heal_from_another_thread_cuts_the_proof_short() throws Exception {
        Guard guard = guard(recipes.touch(), new Proof(60, 60, 60));
        guard.arm();
        CompletableFuture<Firing> firing =
                CompletableFuture.supplyAsync(() -> guard.fire(null, RunClock.bootSeconds()));
        Until.reached(recipes::isDown);
        guard.heal();
        assertThat(firing.get().error())
                .isEqualTo("touch is not confirmed: the fault was healed before the proof command succeeded");
        guard.close();
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void dead_man_is_armed_before_the_kill_or_nothing_fires_and_is_disarmed_after_the_heal() {
        FaultRecipe touch = recipes.touch();
        FaultRecipe refused = Recipe.with(touch, Step.DEADMAN, recipes.sh("echo no timer; exit 5"));
        try (Guard guard = guard(refused)) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .hasMessage("touch does not fire: its dead-man could not be armed: [fault.touch] deadman: `sh …`: "
                            + "exit status 5 (no timer)");
        }
        assertThat(recipes.log()).isEmpty();
        FaultRecipe taken = Recipe.with(
                touch,
                Step.DEADMAN,
                recipes.logged("deadman", "true"),
                Step.DISARM,
                recipes.logged("disarm {master}", "true"));
        try (Guard guard = guard(taken)) {
            guard.arm();
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds() - 100))
                    .hasMessageContaining("preflight began");
            assertThat(recipes.log()).containsExactly("deadman", "disarm lb1");
            guard.fire(null, RunClock.bootSeconds());
        }
        assertThat(recipes.log()).endsWith("deadman", "kill", "heal", "disarm lb1");
        assertThat(recipes.events()).noneMatch(event -> event.startsWith("warning"));
    }

    @Test
    void watchdog_that_has_died_keeps_the_fault_from_being_fired() throws InterruptedException {
        try (Guard guard = guard(recipes.touch())) {
            guard.arm();
            Watchdogs.of(place).forEach(ProcessHandle::destroyForcibly);
            Until.reached(() -> Watchdogs.of(place).isEmpty());
            assertThatThrownBy(() -> guard.fire(null, RunClock.bootSeconds()))
                    .hasMessageContaining("its watchdog has died");
        }
        assertThat(recipes.log()).isEmpty();
    }

    /** The usual fault, with a script of the test's own that is to prove it. */
    private FaultRecipe provedBy(String script) {
        return Recipe.with(recipes.touch(), Step.VERIFY_DOWN, recipes.sh(script));
    }

    private Guard guard(FaultRecipe recipe) {
        return guard(recipe, Recipes.CONNECTIONS);
    }

    private Guard guard(FaultRecipe recipe, Proof proof) {
        return guard(Recipes.alone(recipe, PAIR), proof);
    }

    private Guard guard(FaultRecipe recipe, NodeClaim claim) {
        return guard(GuardedFault.of(recipe, PAIR, target(claim), "run"), Recipes.CONNECTIONS);
    }

    private static Target target(NodeClaim claim) {
        return new Target(
                Endpoints.at("http://127.0.0.1/"),
                IdentitySettings.DEFAULT,
                List.of(),
                Map.of(),
                null,
                claim,
                new Target.TargetOrigin(null, null));
    }

    private Guard guard(GuardedFault fault, Proof proof) {
        return recipes.guard(fault, null, proof, Recipes.HELD_HEAL);
    }
}
