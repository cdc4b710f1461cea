package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The verdict as the judge wrote it into verdict.json.
 *
 * @param lines its summary, the word first; empty where {@code switchover report} has replaced the file
 */
public record ShownVerdict(
        String run, String status, int exitCode, List<String> lines, Recovery outage, Recovery failback) {

    /** When the service was back; {@code censored}: it was not seen to come back. */
    public record Recovery(Long toUs, boolean censored) {}

    public ShownVerdict {
        lines = lines == null ? List.of() : List.copyOf(lines);
    }

    /** Null where the file holds no verdict on this run. */
    static ShownVerdict read(Path directory, String run) {
        try {
            String text = WholeFile.read(directory.resolve(RunDirectory.VERDICT_FILE));
            ShownVerdict found = Json.read(text, ShownVerdict.class);
            return run.equals(found.run) && found.status != null ? found : null;
        } catch (IOException | IllegalArgumentException error) {
            return null;
        }
    }

    /** When the service was back after the fault, and after the heal. */
    List<Long> goodUs() {
        return Stream.of(outage, failback)
                .filter(found -> found != null && found.toUs != null && !found.censored)
                .map(Recovery::toUs)
                .toList();
    }
}
