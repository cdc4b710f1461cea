package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Guard.Healing;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heal that fails, hangs or does nothing: what is tried next, and when it counts as healed. */
class HealerTest {

    /** Waits for what succeeds, however long a shell takes to start on a busy machine. */
    private static final HealPace CONNECTIONS = new HealPace(60, 0.05, 60, 60);

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
        Healing healing = healer(working, CONNECTIONS).heal();
        assertThat(healing.error()).isNull();
        assertThat(recipes.log()).hasSize(1);
        assertThat(Until.text(place.resolve("proofs"))).isEqualTo("asked\n");
        assertThat(List.of(healing.fromUs(), healing.toUs(), healing.healedUs()))
                .isSorted();
    }

    @Test
    void heal_ends_with_its_command_and_is_healed_with_its_proof() {
        Healing healing = healer(recipe("rm -f down", "sleep 0.3; test ! -e down"), CONNECTIONS)
                .heal();
        assertThat(healing.healedUs() - healing.toUs()).isGreaterThanOrEqualTo(300_000);
    }

    @Test
    void without_a_proof_a_heal_that_succeeds_counts() {
        FaultRecipe unproved = Recipe.with(recipe("test $n -ge 2", "true"), Step.VERIFY_HEALED, null);
        assertThat(healer(unproved, CONNECTIONS).heal().error()).isNull();
        assertThat(recipes.log()).hasSize(2);
    }

    @Test
    void without_a_heal_the_proof_is_waited_for() throws Exception {
        FaultRecipe byItself = Recipe.with(recipe("true", "test -e well"), Step.HEAL, null);
        CompletableFuture<Healing> healing = CompletableFuture.supplyAsync(
                () -> healer(byItself, CONNECTIONS).heal());
        Files.createFile(place.resolve("well"));
        assertThat(healing.get(60, TimeUnit.SECONDS).error()).isNull();
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void all_that_hang_are_ended_at_once() throws Exception {
        FaultRecipe hanging = recipe("echo $$ >> pids; exec sleep 1000", "test -e pids && test $(wc -l < pids) -ge 4");
        assertThat(healer(hanging, new HealPace(60, 1, 0.02, 60)).heal().error())
                .isNull();
        assertThat(pids()).hasSizeGreaterThanOrEqualTo(4);
        Until.reached(() -> pids().noneMatch(Until::lives));
    }

    @Test
    void proof_has_to_hold_once_more_after_those_that_hung_were_ended() {
        FaultRecipe halfDone = recipe(
                "test $n -lt 3 || exec touch well; exec sleep 1000",
                "test -e well || { test ! -e held && touch held; }");
        assertThat(healer(halfDone, new HealPace(60, 0.05, 0.2, 60)).heal().error())
                .isNull();
        assertThat(place.resolve("well")).exists();
    }

    @Test
    void one_that_fails_is_tried_again_after_a_pause() {
        List<Double> begun = begunS("test $n -ge 3 && rm -f down", new HealPace(60, 0.5, 60, 60));
        assertThat(begun).hasSize(3);
        assertThat(begun.get(2) - begun.get(0)).isGreaterThan(0.9);
    }

    @Test
    void beside_one_that_hangs_another_begins_and_ends_it() throws Exception {
        String firstHangs = "mkdir first && { echo $$ >> pids; exec sleep 1000; };"
                + " until test -s pids; do sleep 0.02; done; rm -f down";
        assertThat(heal(firstHangs, new HealPace(60, 0.05, 1.5, 60)).error()).isNull();
        assertThat(recipes.log()).hasSize(2);
        Until.reached(() -> pids().noneMatch(Until::lives));
    }

    @Test
    void one_that_hangs_after_it_has_worked_is_ended() throws Exception {
        String worksAndHangs = "echo $$ >> pids; rm -f down; exec sleep 1000";
        assertThat(heal(worksAndHangs, new HealPace(60, 0.05, 0.5, 60)).error()).isNull();
        assertThat(pids()).isNotEmpty();
        Until.reached(() -> pids().noneMatch(Until::lives));
    }

    @Test
    void one_that_succeeds_and_heals_nothing_is_run_again_once_its_proof_had_time() {
        List<Double> begun = begunS("test $n -lt 2 || rm -f down", new HealPace(60, 0.05, 60, 1.5));
        assertThat(begun.get(1)).isGreaterThan(1.5);
    }

    @Test
    void proof_that_comes_late_gets_its_time() {
        FaultRecipe late = recipe("(sleep 0.5; rm -f down) >/dev/null 2>&1 &", "test ! -e down");
        assertThat(healer(late, CONNECTIONS).heal().error()).isNull();
        assertThat(recipes.log()).hasSize(1);
    }

    @Test
    void proof_that_hangs_holds_up_no_heal() {
        FaultRecipe hanging = recipe("false", "test $(grep -c heal log) -ge 3 || exec sleep 1000");
        assertThat(healer(hanging, new HealPace(60, 0.05, 1.5, 1.5)).heal().error())
                .isNull();
        assertThat(recipes.log()).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void while_a_proof_hangs_heals_go_on() {
        FaultRecipe waiting = recipe("false", "until test $(grep -c heal log) -ge 3; do sleep 0.02; done");
        assertThat(healer(waiting, CONNECTIONS).heal().error()).isNull();
    }

    @Test
    void when_its_time_is_over_it_says_what_failed() {
        FaultRecipe failing = recipe("echo no way >&2; exit 7", "test ! -e down");
        Healing healing = healer(failing, new HealPace(3, 0.05, 60, 60)).heal();
        assertThat(healing.healedUs()).isNull();
        assertThat(healing.error())
                .isEqualTo("touch IS NOT HEALED: [fault.touch] heal: `sh …`: exit status 7 (no way); [fault.touch]"
                        + " verify_healed: `sh …`: exit status 1; heal the fault by hand with the commands in [fault.touch] of the"
                        + " target file");
    }

    private Healing heal(String script, HealPace pace) {
        return healer(recipe(script, "test ! -e down"), pace).heal();
    }

    /** Of the heals that have written theirs down. */
    private Stream<Long> pids() {
        return Until.text(place.resolve("pids")).lines().map(Long::parseLong);
    }

    /** When each heal had begun, in seconds from before the first, as the heals have written it down. */
    private List<Double> begunS(String script, HealPace pace) {
        long beforeNs = Units.NS_PER_MS * System.currentTimeMillis();
        assertThat(heal("date +%s%N >> times; n=$(wc -l < times); " + script, pace)
                        .error())
                .isNull();
        return Until.text(place.resolve("times"))
                .lines()
                .map(line -> Units.secondsOfNs(Long.parseLong(line) - beforeNs))
                .sorted()
                .toList();
    }

    private static Healer healer(FaultRecipe recipe, HealPace pace) {
        return new Healer(recipe, RunClock.ofProcess(), pace, null);
    }

    /** {@code $n} is the number of the heal, from 1. */
    private FaultRecipe recipe(String heal, String proof) {
        return Recipe.with(
                Recipe.named("touch"),
                Step.HEAL,
                recipes.logged("heal", "n=$(grep -c heal log); " + heal),
                Step.VERIFY_HEALED,
                recipes.sh(proof));
    }
}
