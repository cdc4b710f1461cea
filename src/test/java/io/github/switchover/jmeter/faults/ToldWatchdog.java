package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.Until;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Stands where the watchdog does: it writes down what it is told, heals nothing, and ends with a status of its own. */
final class ToldWatchdog {

    private final Path file;
    private final UndoList undo;

    ToldWatchdog(Path place) throws IOException {
        this(place, 0);
    }

    ToldWatchdog(Path place, int status) throws IOException {
        file = place.resolve("told");
        Process process = new ProcessBuilder("sh", "-c", "cat > told; exit " + status)
                .directory(place.toFile())
                .start();
        undo = new UndoList("touch", place.resolve(UndoList.LOG_FILE), process);
    }

    UndoList undo() {
        return undo;
    }

    /** Every line, once it has been dismissed; of a process group without its number. */
    List<String> told() {
        return Until.text(file)
                .lines()
                .map(line -> line.replaceFirst("^group \\d+$", "group"))
                .toList();
    }

    /** What it was told of the fault's course, each line once that was repeated at once. */
    List<String> steps() {
        List<String> steps = new ArrayList<>();
        for (String line : told()) {
            boolean isRepeated = !steps.isEmpty() && steps.get(steps.size() - 1).equals(line);
            if (!isRepeated && !line.matches("(name|heal|verify|release|disarm|down|mark|relapse) .*")) {
                steps.add(line);
            }
        }
        return steps;
    }
}
