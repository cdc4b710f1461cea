package io.github.switchover.jmeter.run;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.WholeFile;
import java.nio.file.Path;
import java.util.List;

/** Writes {@code verdict.json}. */
public final class VerdictFile {

    private VerdictFile() {}

    /**
     * Replaces what there is.
     *
     * @param lines the verdict as plain text, which the window shows
     * @throws io.github.switchover.jmeter.core.RunDirectoryException if it cannot be written
     */
    public static void write(Path directory, Verdict verdict, List<String> lines) {
        JsonObject tree = Json.tree(verdict).getAsJsonObject();
        JsonArray text = new JsonArray();
        lines.forEach(text::add);
        tree.add("lines", text);
        WholeFile.write(directory.resolve(RunDirectory.VERDICT_FILE), Json.file(tree));
    }

    public static String text(Verdict verdict) {
        return Json.file(verdict);
    }
}
