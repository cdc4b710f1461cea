package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A fault as files in a place: {@code down} stands for it, every command writes a line to {@code log}; and its guard,
 * whose events are kept.
 */
final class Recipes {

    /** For a fault that comes, however long a shell takes to start on a busy machine. */
    static final Proof CONNECTIONS = new Proof(60, 0.1, 60);

    /** For a heal that succeeds, likewise. */
    static final HealPace HELD_HEAL = new HealPace(60, 0.1, 60, 60);

    private final Path place;
    private final List<String> events = new ArrayList<>();

    Recipes(Path place) {
        this.place = place;
    }

    /** A fault that shares its nodes with no other run. */
    static GuardedFault alone(FaultRecipe recipe, Map<String, String> names) {
        return new GuardedFault(recipe.filledIn(names), names.getOrDefault("master", ""), null, null);
    }

    FaultRecipe touch() {
        return recipe("touch down", "rm -f down");
    }

    FaultRecipe recipe(String kill, String heal) {
        return Recipe.with(
                Recipe.named("touch"),
                Step.KILL,
                logged("kill", kill),
                Step.HEAL,
                heal == null ? null : logged("heal", heal),
                Step.VERIFY_DOWN,
                sh("test -e down"),
                Step.VERIFY_HEALED,
                sh("test ! -e down"));
    }

    List<String> sh(String script) {
        return List.of("sh", "-c", "cd '" + place + "' && " + script);
    }

    List<String> logged(String word, String script) {
        return sh("echo " + word + " >> log && { " + script + "\n}");
    }

    List<String> log() {
        return Until.text(place.resolve("log")).lines().toList();
    }

    boolean isDown() {
        return place.resolve("down").toFile().exists();
    }

    /** {@code hold}: null where it is to take one of its own. */
    Guard guard(GuardedFault fault, UndoList hold, Proof proof, HealPace pace) {
        return new Guard(fault, hold, RunClock.ofProcess(), this::keep, place, proof, pace);
    }

    /** Of its guards: {@code heal lb1 touch: healed}. */
    List<String> events() {
        return List.copyOf(events);
    }

    void keep(EventKind kind, String text, long timeNs, String node, String id) {
        assertThat(Long.toString(timeNs)).as("nanoseconds since the epoch").hasSize(19);
        events.add(kind.label() + " " + node + " " + text);
    }

    String watchdogSays() {
        return Until.text(place.resolve(UndoList.LOG_FILE));
    }
}
