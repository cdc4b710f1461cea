package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code load.json}: the description of a load by its generator. The drill copies it into {@code run.json}. */
public final class LoadFile {

    public static final String NAME = "load.json";

    /** All users of the load have started. */
    public static final String RUNNING = "running";

    /** Recording has ended. */
    public static final String ENDED = "ended";

    public static final String STOPPED = "stopped";

    /** A worker disappeared before it reported its end. */
    public static final String LOST = "lost";

    public static void write(Path directory, Tree load) {
        WholeFile.write(directory.resolve(NAME), Json.file(load.json()));
    }

    /** Describes a server that disappeared before any of its load was recorded here. */
    public static Tree lostWorker(String server) {
        return Tree.of("worker", server, "host", hostOf(server), "here", false, "joined", "start", "ended", LOST);
    }

    /** Returns the host of a server name {@code host:port} of JMeter. */
    public static String hostOf(String server) {
        int colon = server.indexOf(':', server.indexOf(']') + 1);
        return colon < 0 ? server : server.substring(0, colon);
    }

    /** Returns the run with the description of its load. A missing description is recorded as a missing part. */
    public static Run into(Run run, Path directory) {
        Run known = run.adding("parts", List.of(NAME));
        Path path = directory.resolve(NAME);
        try {
            return merge(known, Files.exists(path) ? Tree.parse(WholeFile.read(path)) : Tree.EMPTY);
        } catch (IOException | IllegalArgumentException | RunDirectoryException error) {
            String warning = path + " does not describe a load: " + error.getMessage();
            return merge(known.adding("warnings", List.of(warning)), Tree.EMPTY);
        }
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
        for (String file : load.child("seals").names()) {
            complete = complete.sealed(file, load.child("seals").list(file));
        }
        return complete;
    }
}
