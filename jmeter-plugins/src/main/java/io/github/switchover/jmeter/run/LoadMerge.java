package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.RunDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes what a load said of itself, in {@code load.json}, into the run; that it said nothing is a missing part. */
public final class LoadMerge {

    private static final String LOAD = "load";

    private LoadMerge() {}

    public static Run into(Run run, Path directory) {
        RunBuilder merged = run.toBuilder().parts(with(run.parts(), List.of(LoadFile.NAME)));
        LoadFacts facts = null;
        try {
            facts = LoadFile.read(directory);
        } catch (RunDirectoryException error) {
            merged.warning(error.getMessage());
        }
        Map<String, Object> settings = new LinkedHashMap<>(run.settings());
        Map<String, Object> load = new LinkedHashMap<>();
        if (settings.get(LOAD) instanceof Map<?, ?> known) {
            known.forEach((key, value) -> load.put(String.valueOf(key), value));
        }
        settings.put(LOAD, load);
        if (facts == null) {
            load.put("state", null);
            return merged.settings(settings).build();
        }
        settings.put("generator", facts.generator());
        load.putAll(facts.settings());
        load.put("state", facts.state());
        List<Map<String, Object>> clocks = new ArrayList<>(run.clocks());
        clocks.addAll(facts.clocks());
        List<String> warnings = new ArrayList<>(run.warnings());
        warnings.addAll(facts.warnings());
        return merged.settings(settings)
                .workers(facts.workers())
                .parts(with(merged.build().parts(), facts.parts()))
                .clocks(clocks)
                .warnings(warnings)
                .build();
    }

    private static List<String> with(List<String> known, List<String> more) {
        Set<String> all = new LinkedHashSet<>(known);
        all.addAll(more);
        return List.copyOf(all);
    }
}
