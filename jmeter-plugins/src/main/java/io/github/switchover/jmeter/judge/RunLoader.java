package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.JournalReader;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a run directory; several parts of one run are one run. */
public final class RunLoader {

    private RunLoader() {}

    /** A run directory, and with it the parts of the same run that other hosts kept. */
    public static RunData load(Path directory, Path... parts) {
        List<Path> directories = new ArrayList<>(List.of(directory));
        directories.addAll(List.of(parts));
        Run run = run(directories);
        UnreadLines unread = UnreadLines.none();
        List<String> missing = run.evidence().parts().stream()
                .filter(name -> files(directories, name).isEmpty())
                .toList();
        return new RunData(
                run,
                new SampleLog(files(directories, RunDirectory.PROBES_FILE), unread.probes()),
                new SampleLog(files(directories, "samples*.jtl"), unread.samples()),
                JournalReader.read(files(directories, "journal*.lp"), unread.journals(), RunLoader::wanted),
                unread,
                missing);
    }

    /** Of telemetry there may be more than a process can hold: the fields that the figures look at, or null. */
    private static Point wanted(Point point) {
        if (NodeLife.isScrape(point)) {
            return NodeLife.stateOnly(point);
        }
        boolean known = NodeLife.isAsking(point)
                || point.measurement().equals(Measurements.VRRP)
                || point.measurement().equals(Measurements.ADVERT)
                || point.measurement().equals(Measurements.USERS)
                || Warnings.isWarning(point)
                || CourseReasons.isHeal(point);
        return known ? point : null;
    }

    /** The one run that all parts belong to; not every part has to hold its description. */
    private static Run run(List<Path> directories) {
        List<Path> described = directories.stream()
                .filter(path -> Files.exists(path.resolve(RunDirectory.RUN_FILE)))
                .toList();
        if (described.isEmpty()) {
            return RunFile.read(directories.get(0));
        }
        Run run = RunFile.read(described.get(0));
        for (Path path : described) {
            Run other = RunFile.read(path);
            if (!other.id().equals(run.id())) {
                throw new RunDirectoryException(path + " is run " + other.id() + ", " + described.get(0) + " is run "
                        + run.id() + ": not parts of one run");
            }
        }
        return run;
    }

    /** Matching files of all parts, each once even if a directory is named twice. */
    private static List<Path> files(List<Path> directories, String pattern) {
        List<Path> found = new ArrayList<>();
        for (Path directory : directories) {
            for (Path path : matching(directory, pattern)) {
                if (!found.contains(path)) {
                    found.add(path);
                }
            }
        }
        return found;
    }

    private static List<Path> matching(Path directory, String pattern) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
            for (Path path : files) {
                found.add(path.toRealPath());
            }
        } catch (IOException error) {
            throw new RunDirectoryException("cannot read " + directory + ": " + Reason.of(error), error);
        }
        found.sort(null);
        return found;
    }
}
