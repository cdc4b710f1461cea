package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heal that fails, hangs or does nothing: what is tried next, and when it counts as healed. */
class HealerTest {

    private static final HealPace PACE = new HealPace(60, 0.05, 1.5, 1.5);

    @TempDir
    Path place;

    private Recipes recipes;

    @BeforeEach
    void begin() throws Exception {
        recipes = new Recipes(place);
        Files.createFile(place.resolve("down"));
    }

    @Test
    void heal_that_works_is_run_once() {
        FaultRecipe working = recipe("rm -f down", "echo asked >> proofs; test ! -e down");
        Healing healing = healer(working, PACE).heal();
        assertThat(healing.error()).isNull();
        assertThat(recipes.log()).hasSize(1);
        assertThat(Until.text(place.resolve("proofs"))).isEqualTo("asked\n");
        assertThat(List.of(healing.fromUs(), healing.toUs(), healing.healedUs()))
                .isSorted();
    }

    @Test
    void heal_ends_with_its_command_and_is_healed_with_its_proof() {
        Healing healing =
                healer(recipe("rm -f down", "sleep 0.3; test ! -e down"), PACE).heal();
        assertThat(healing.healedUs() - healing.toUs()).isGreaterThanOrEqualTo(300_000);
    }

    @Test
    void without_a_proof_a_heal_that_succeeds_counts() {
        FaultRecipe unproved = recipe("test $n -ge 2", "true").with(Step.VERIFY_HEALED, null);
        assertThat(healer(unproved, PACE).heal().error()).isNull();
        assertThat(recipes.log()).hasSize(2);
    }

    @Test
    void without_a_heal_the_proof_is_waited_for() throws Exception {
        FaultRecipe byItself = recipe("true", "test -e well").with(Step.HEAL, null);
        CompletableFuture<Healing> healing =
                CompletableFuture.supplyAsync(() -> healer(byItself, PACE).heal());
        Files.createFile(place.resolve("well"));
        assertThat(healing.get(60, TimeUnit.SECONDS).error()).isNull();
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void without_a_heal_and_a_proof_there_is_nothing_to_wait_for() {
        assertThat(healer(FaultRecipe.named("touch"), PACE).heal().error()).isNull();
    }

    @Test
    void the_next_one_begins_some_time_after_one_that_failed_however_little_patience_there_is() {
        heal("test $n -ge 2 && rm -f down", new HealPace(60, 1.6, 0.7, 60));
        assertThat(pauseBefore(2)).isGreaterThan(1.2);
    }

    @Test
    void beside_those_that_hang_each_next_one_begins_after_twice_the_time() {
        heal("test $n -ge 4 && rm -f down || exec sleep 1000", new HealPace(60, 0.05, 0.3, 60));
        assertThat(pauseBefore(3)).isGreaterThan(0.4);
        assertThat(pauseBefore(4)).isGreaterThan(0.85);
    }

    @Test
    void one_that_fails_beside_one_that_hangs_is_followed_as_soon_as_any_that_fails() {
        String hangsThenFails = "case $n in 1) exec sleep 1000;; 2) exit 1;; *) rm -f down;; esac";
        assertThat(heal(hangsThenFails, new HealPace(5.5, 0.05, 2, 60)).error()).isNull();
        assertThat(recipes.log()).hasSize(3);
    }

    @Test
    void all_that_hang_are_ended_at_once() {
        FaultRecipe hanging = recipe("echo $$ >> pids; exec sleep 1000", "test $(grep -c heal log) -ge 5");
        assertThat(healer(hanging, new HealPace(60, 1, 0.02, 60)).heal().error())
                .isNull();
        assertThat(Until.text(place.resolve("pids")).lines().map(Long::parseLong))
                .hasSizeGreaterThanOrEqualTo(4)
                .noneMatch(Until::lives);
    }

    @Test
    void proof_has_to_hold_once_more_after_those_that_hung_were_ended() {
        FaultRecipe halfDone = recipe(
                "test $n -lt 3 || exec touch well; echo $$ > pid; exec sleep 1000",
                "test -e well || kill -0 $(cat pid)");
        assertThat(healer(halfDone, new HealPace(60, 0.05, 0.2, 60)).heal().error())
                .isNull();
        assertThat(place.resolve("well")).exists();
    }

    @Test
    void one_that_fails_is_tried_again() {
        assertThat(heal("test $n -ge 4 && rm -f down").error()).isNull();
        assertThat(recipes.log()).hasSize(4);
    }

    @Test
    void beside_one_that_hangs_another_begins_and_ends_it() throws Exception {
        assertThat(heal("test $n -ge 2 && rm -f down || { echo $$ > pid; exec sleep 1000; }")
                        .error())
                .isNull();
        assertThat(recipes.log()).hasSize(2);
        long hanging = Long.parseLong(Until.written(place.resolve("pid")));
        Until.reached(() -> !Until.lives(hanging));
    }

    @Test
    void one_that_hangs_after_it_has_worked_is_ended() {
        assertThat(heal("rm -f down; exec sleep 1000").error()).isNull();
        assertThat(recipes.log()).hasSize(2);
    }

    @Test
    void one_that_succeeds_and_heals_nothing_is_run_again_once_its_proof_had_time() {
        assertThat(heal("test $n -lt 2 || rm -f down").error()).isNull();
        assertThat(recipes.log()).hasSize(2);
    }

    @Test
    void proof_that_comes_late_gets_its_time() {
        HealPace patient = new HealPace(60, 0.05, 60, 60);
        FaultRecipe late = recipe("(sleep 0.5; rm -f down) >/dev/null 2>&1 &", "test ! -e down");
        assertThat(healer(late, patient).heal().error()).isNull();
        assertThat(recipes.log()).hasSize(1);
    }

    @Test
    void proof_that_hangs_holds_up_no_heal() {
        FaultRecipe hanging = recipe("false", "test $(grep -c heal log) -ge 3 || exec sleep 1000");
        assertThat(healer(hanging, PACE).heal().error()).isNull();
        assertThat(recipes.log()).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void while_a_proof_hangs_heals_go_on() {
        FaultRecipe waiting = recipe("false", "until test $(grep -c heal log) -ge 3; do sleep 0.02; done");
        assertThat(healer(waiting, new HealPace(10, 0.05, 10, 10)).heal().error())
                .isNull();
    }

    @Test
    void when_its_time_is_over_it_says_what_failed() {
        FaultRecipe failing = recipe("echo no way >&2; exit 7", "test ! -e down");
        Healing healing = healer(failing, new HealPace(1, 0.05, 5, 5)).heal();
        assertThat(healing.healedUs()).isNull();
        assertThat(healing.error())
                .isEqualTo("touch IS NOT HEALED: [fault.touch] heal: `sh …`: exit status 7 (no way); [fault.touch]"
                        + " verify_healed: `sh …`: exit status 1; heal it by hand, as [fault.touch] of the target file"
                        + " says");
    }

    @Test
    void heals_that_it_has_ended_itself_are_not_what_failed() {
        FaultRecipe halfDone = recipe("echo $$ > pid; exec sleep 1000", "kill -0 $(cat pid) 2>/dev/null || exit 1");
        Healing healing = healer(halfDone, new HealPace(1, 0.05, 0.02, 60)).heal();
        assertThat(healing.error())
                .isEqualTo("touch IS NOT HEALED: [fault.touch] verify_healed: `sh …`: exit status 1; heal it by hand,"
                        + " as [fault.touch] of the target file says");
    }

    private Healing heal(String script) {
        return heal(script, PACE);
    }

    private Healing heal(String script, HealPace pace) {
        return healer(recipe("date +%s%N >> times; " + script, "test ! -e down"), pace)
                .heal();
    }

    /** Seconds from the beginning of the heal before it, as the heals have written them down. */
    private double pauseBefore(int number) {
        List<Long> begunNs =
                Until.text(place.resolve("times")).lines().map(Long::parseLong).toList();
        return Units.secondsOfNs(begunNs.get(number - 1) - begunNs.get(number - 2));
    }

    private static Healer healer(FaultRecipe recipe, HealPace pace) {
        return new Healer(recipe, RunClock.ofProcess(), pace, null);
    }

    /** {@code $n} is the number of the heal, from 1. */
    private FaultRecipe recipe(String heal, String proof) {
        return FaultRecipe.named("touch")
                .with(Step.HEAL, recipes.logged("heal", "n=$(grep -c heal log); " + heal))
                .with(Step.VERIFY_HEALED, recipes.sh(proof));
    }
}
