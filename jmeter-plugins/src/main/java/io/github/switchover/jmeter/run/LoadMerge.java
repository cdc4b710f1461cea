package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.RunDirectoryException;
import java.nio.file.Path;
import java.util.List;

/** Takes what a load said of itself, in {@code load.json}, into the run; that it said nothing is a missing part. */
public final class LoadMerge {

    static final String STATE = "state";

    private LoadMerge() {}

    public static Run into(Run run, Path directory) {
        Run.Evidence evidence = run.evidence().withParts(List.of(LoadFile.NAME));
        Run.Ending ending = run.ending();
        LoadFacts facts = null;
        try {
            facts = LoadFile.read(directory);
        } catch (RunDirectoryException error) {
            ending = ending.withWarning(error.getMessage());
        }
        JsonElement known = run.settings().load();
        JsonObject load = known == null || !known.isJsonObject()
                ? new JsonObject()
                : known.getAsJsonObject().deepCopy();
        if (facts == null) {
            load.add(STATE, JsonNull.INSTANCE);
            return run.with(run.settings().with(run.settings().generator(), load))
                    .with(evidence)
                    .with(ending);
        }
        facts.settings().asMap().forEach(load::add);
        load.add(STATE, new JsonPrimitive(facts.state()));
        for (String warning : facts.warnings()) {
            ending = ending.withWarning(warning);
        }
        return run.with(run.settings().with(facts.generator(), load))
                .with(evidence.withWorkers(facts.workers())
                        .withParts(facts.files().parts())
                        .withSeals(facts.files().seals())
                        .with(facts.clocks()))
                .with(ending);
    }
}
