package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.files.WholeFile;
import io.github.switchover.jmeter.json.JsonText;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes {@code load.json}, whole or not at all: the drill takes it into {@code run.json}. */
public final class LoadFile {

    public static final String NAME = "load.json";

    private LoadFile() {}

    public static void write(Path directory, LoadFacts facts) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("state", facts.state());
        values.put("generator", facts.generator());
        values.put("parts", facts.parts());
        values.put("workers", facts.workers());
        values.put("clocks", facts.clocks());
        values.put("settings", facts.settings());
        values.put("warnings", facts.warnings());
        WholeFile.write(directory.resolve(NAME), JsonText.of(values) + '\n');
    }
}
