package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.nio.file.Files;
import java.nio.file.Path;
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
        assertThat(heal("rm -f down").error()).isNull();
        assertThat(recipes.log()).hasSize(1);
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
    void when_its_time_is_over_it_says_what_failed() {
        FaultRecipe failing = recipe("echo no way >&2; exit 7", "test ! -e down");
        Healing healing = healer(failing, new HealPace(1, 0.05, 5, 5)).heal();
        assertThat(healing.healedUs()).isNull();
        assertThat(healing.error())
                .isEqualTo("touch IS NOT HEALED: [fault.touch] heal: `sh …`: exit status 7 (no way); [fault.touch]"
                        + " verify_healed: `sh …`: exit status 1; heal it by hand, as [fault.touch] of the target file"
                        + " says");
    }

    private Healing heal(String script) {
        return healer(recipe(script, "test ! -e down"), PACE).heal();
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
