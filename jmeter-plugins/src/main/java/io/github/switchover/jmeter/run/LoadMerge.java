package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.NodeClock;
import io.github.switchover.jmeter.core.RunDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Takes what a load said of itself, in {@code load.json}, into the run; that it said nothing is a missing part. */
public final class LoadMerge {

    static final String STATE = "state";

    private LoadMerge() {}

    public static Run into(Run run, Path directory) {
        Run.Builder merged = run.toBuilder().parts(with(run.parts(), List.of(LoadFile.NAME)));
        LoadFacts facts = null;
        try {
            facts = LoadFile.read(directory);
        } catch (RunDirectoryException error) {
            merged.warning(error.getMessage());
        }
        JsonElement known = run.settings().load();
        JsonObject load = known == null || !known.isJsonObject()
                ? new JsonObject()
                : known.getAsJsonObject().deepCopy();
        if (facts == null) {
            load.add(STATE, JsonNull.INSTANCE);
            return merged.settings(run.settings().with(run.settings().generator(), load))
                    .build();
        }
        facts.settings().asMap().forEach(load::add);
        load.add(STATE, new JsonPrimitive(facts.state()));
        List<NodeClock> clocks = new ArrayList<>(run.clocks());
        clocks.addAll(facts.clocks());
        facts.warnings().forEach(merged::warning);
        return merged.settings(run.settings().with(facts.generator(), load))
                .workers(facts.workers())
                .parts(with(merged.build().parts(), facts.parts()))
                .clocks(clocks)
                .build();
    }

    private static List<String> with(List<String> known, List<String> more) {
        Set<String> all = new LinkedHashSet<>(known);
        all.addAll(more);
        return List.copyOf(all);
    }
}
