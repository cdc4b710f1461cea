package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code load.json}: what a load generator says of its load, which the drill takes into {@code run.json}. */
public final class LoadFile {

    public static final String NAME = "load.json";

    private LoadFile() {}

    public static void write(Path directory, LoadFacts facts) {
        WholeFile.write(directory.resolve(NAME), Json.file(facts));
    }

    /** The run with what its load says; that the load said nothing is a missing part. */
    public static Run into(Run run, Path directory) {
        Run known = run.adding("parts", List.of(NAME));
        Tree load = Tree.EMPTY;
        Path path = directory.resolve(NAME);
        try {
            load = Files.exists(path) ? Tree.parse(WholeFile.read(path)) : Tree.EMPTY;
            return merge(known, load);
        } catch (IOException error) {
            known = known.adding(
                    "warnings",
                    List.of(RunDirectoryException.cannotRead(path, error).getMessage()));
        } catch (IllegalArgumentException | RunDirectoryException error) {
            known = known.adding("warnings", List.of(path + " does not describe a load: " + error.getMessage()));
        }
        return merge(known, Tree.EMPTY);
    }

    private static Run merge(Run run, Tree load) {
        Tree settings = run.settings().child("load");
        for (Map.Entry<String, JsonElement> setting :
                load.child("settings").json().entrySet()) {
            settings = settings.with(setting.getKey(), setting.getValue());
        }
        Run merged = run.setting("load", settings.with("state", load.text("state")));
        if (!load.has("state")) {
            return merged;
        }
        List<Tree> workers = new ArrayList<>(load.list("workers"));
        List<String> named =
                workers.stream().map(worker -> worker.text("worker", "")).toList();
        run.workers().stream()
                .filter(worker -> !named.contains(worker.text("worker", "")))
                .forEach(workers::add);
        Run complete = merged.setting("generator", load.text("generator"))
                .with("workers", workers)
                .adding("warnings", load.texts("warnings"))
                .adding("parts", load.texts("parts"))
                .adding("clocks", load.list("clocks"));
        Run seals = new Run(load);
        for (String file : load.child("seals").names()) {
            complete = complete.sealed(Map.of(file, seals.seals(file)));
        }
        return complete;
    }
}
