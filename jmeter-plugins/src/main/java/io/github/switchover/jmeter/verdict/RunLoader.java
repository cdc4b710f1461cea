package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.run.Journal.JournalReader;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.SampleReader;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.verdict.RunData.RunFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a run directory. A file that does not match its checksum is not used. */
public final class RunLoader {

    /** Files that only {@code switchover report} reads. */
    private static final List<String> OF_REPORT = List.of("access-*.csv", "connections*.jtl", "retrying_client*.jtl");

    private final Path directory;
    private final Run run;
    private final Map<String, String> damaged = new LinkedHashMap<>();
    private final List<String> unsealed = new ArrayList<>();

    private RunLoader(Path directory) {
        this.directory = directory;
        run = RunFile.read(directory);
    }

    public static RunData load(Path directory) {
        return new RunLoader(directory).load();
    }

    private RunData load() {
        JournalReader journals = new JournalReader(RunLoader::wanted);
        for (Path path : files("journal*.lp")) {
            if (!path.endsWith(RunDirectory.VERDICT_JOURNAL) && isAsLeft(path, true) && !journals.read(path)) {
                damaged.put(nameOf(path), "has a line that is not a complete point");
            }
        }
        List<Path> probes = files(RunDirectory.PROBES_FILE);
        List<Path> samples = files("samples*.jtl");
        Stream<Path> reportFiles = OF_REPORT.stream().flatMap(pattern -> files(pattern).stream());
        Stream.concat(Stream.concat(probes.stream(), samples.stream()), reportFiles)
                .forEach(path -> isAsLeft(path, false));
        List<String> missing = Stream.concat(
                        run.tree().texts("parts").stream(), run.tree().child("seals").names().stream())
                .distinct()
                .filter(name -> !Files.exists(directory.resolve(name)))
                .toList();
        Ignored unreadProbes = new Ignored();
        Ignored unreadSamples = new Ignored();
        return new RunData(
                run,
                () -> new SampleLog(probes.iterator(), unreadProbes),
                () -> new SampleLog(samples.iterator(), unreadSamples),
                journals.points(),
                List.of(unreadProbes, unreadSamples),
                new RunFiles(missing, damaged, unsealed));
    }

    /** Checks the seal of a file. {@code mayGrow}: others, such as a manual heal, may have appended lines. */
    private boolean isAsLeft(Path path, boolean mayGrow) {
        List<Seal> seals = run.seals(nameOf(path));
        if (seals.isEmpty()) {
            unsealed.add(nameOf(path));
            return true;
        }
        if (Seal.isAsSealed(path, seals, mayGrow)) {
            return true;
        }
        damaged.put(nameOf(path), "does not match its checksum in run.json");
        return false;
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }

    /** Returns the point with only the fields that the figures need, to save memory. */
    private static @Nullable Point wanted(Point point) {
        if (NodeLife.isScrape(point)) {
            return NodeLife.stateOnly(point);
        }
        boolean known = NodeLife.isAsking(point)
                || point.measurement().equals(Measurements.VRRP)
                || point.isEvent(EventKind.WARNING);
        return known ? point : null;
    }

    private List<Path> files(String pattern) {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
            files.forEach(paths::add);
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(directory, error);
        }
        paths.sort(null);
        return paths;
    }

    /** The samples of several files in sequence, read as a stream. */
    private static final class SampleLog implements Iterator<Sample> {

        private final Iterator<Path> paths;
        private final Ignored ignored;
        private Iterator<Sample> current = Collections.emptyIterator();

        SampleLog(Iterator<Path> paths, Ignored ignored) {
            this.paths = paths;
            this.ignored = ignored;
            // Each iteration reads the files again. Unreadable lines must be counted once.
            ignored.clear();
        }

        @Override
        public boolean hasNext() {
            while (!current.hasNext() && paths.hasNext()) {
                current = new SampleReader(paths.next(), ignored);
            }
            return current.hasNext();
        }

        @Override
        public Sample next() {
            return hasNext()
                    ? current.next()
                    : Collections.<Sample>emptyIterator().next();
        }
    }
}
