package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A fault as files in a place: {@code down} stands for it, every command writes a line to {@code log}. */
final class Recipes {

    private final Path place;

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
        return FaultRecipe.named("touch")
                .with(Step.KILL, logged("kill", kill))
                .with(Step.HEAL, heal == null ? null : logged("heal", heal))
                .with(Step.VERIFY_DOWN, sh("test -e down"))
                .with(Step.VERIFY_HEALED, sh("test ! -e down"));
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

    String watchdogSays() {
        return Until.text(place.resolve(UndoList.LOG_FILE));
    }
}
