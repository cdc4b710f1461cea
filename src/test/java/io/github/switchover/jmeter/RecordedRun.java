package io.github.switchover.jmeter;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Journal.JournalReader;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.SampleReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a load left in a run directory. */
public record RecordedRun(Path directory) {

    /** The only run under a folder. */
    public static RecordedRun under(Path out) {
        List<Path> runs = all(out, "*");
        if (runs.size() != 1) {
            throw new IllegalStateException(runs.size() + " runs under " + out);
        }
        return new RecordedRun(runs.get(0));
    }

    public List<Sample> samples() {
        List<Sample> found = new ArrayList<>();
        for (Path path : all(directory, "samples*.jtl")) {
            try (SampleReader reader = new SampleReader(path, new Ignored())) {
                reader.forEachRemaining(found::add);
            }
        }
        return found;
    }

    public List<Point> points(String measurement) {
        JournalReader reader = new JournalReader(point -> point.measurement().equals(measurement) ? point : null);
        all(directory, "journal*.lp").forEach(path -> reader.read(path));
        return reader.points();
    }

    /** How many requests the traffic points stand for. */
    public long counted() {
        return points("switchover_requests").stream()
                .mapToLong(point -> point.fields().get("count") instanceof FieldValue.Whole whole ? whole.value() : 0)
                .sum();
    }

    public JsonObject load() {
        try {
            return JsonParser.parseString(Files.readString(directory.resolve("load.json")))
                    .getAsJsonObject();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static List<Path> all(Path folder, String pattern) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, pattern)) {
            files.forEach(found::add);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        found.sort(null);
        return found;
    }
}
