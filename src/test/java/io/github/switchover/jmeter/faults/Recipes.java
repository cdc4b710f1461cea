package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.nio.file.Path;
import java.util.List;

/** A fault as files in a place: {@code down} stands for it, every command writes a line to {@code log}. */
final class Recipes {

    private final Path place;

    Recipes(Path place) {
        this.place = place;
    }

    FaultRecipe touch() {
        return recipe("touch down", "rm -f down");
    }

    FaultRecipe recipe(String kill, String heal) {
        return new FaultRecipe(
                "touch",
                logged("kill", kill),
                heal == null ? null : logged("heal", heal),
                sh("test -e down"),
                sh("test ! -e down"),
                null,
                null);
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
