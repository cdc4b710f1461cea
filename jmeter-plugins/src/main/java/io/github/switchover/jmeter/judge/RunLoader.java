package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Damage;
import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.JournalReader;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Seal;
import io.github.switchover.jmeter.core.SealedFile;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Reads a run directory; several parts of one run are one run. */
public final class RunLoader {

    /** Files that only {@code switchover report} reads; whether they are as the run left them is told here, too. */
    private static final List<String> SEALED_ALONE = List.of("access-*.csv", "held*.jtl", "retrying client*.jtl");

    private RunLoader() {}

    /** A run directory, and with it the parts of the same run that other hosts kept. */
    public static RunData load(Path directory, Path... parts) {
        List<Path> directories = new ArrayList<>(List.of(directory));
        directories.addAll(List.of(parts));
        Run run = run(directories);
        UnreadLines unread = UnreadLines.none();
        List<String> missing = Stream.concat(run.evidence().parts().stream(), run.evidence().seals().keySet().stream())
                .distinct()
                .filter(name -> files(directories, name).isEmpty())
                .toList();
        List<Flaw> flaws = new ArrayList<>();
        JournalReader journals = new JournalReader(unread.journals(), RunLoader::wanted);
        for (Path path : files(directories, "journal*.lp")) {
            if (!path.endsWith(RunDirectory.VERDICT_JOURNAL)) {
                flaws.addAll(Flaw.of(run, journals.read(path, seals(run, path))));
            }
        }
        List<Path> probes = files(directories, RunDirectory.PROBES_FILE);
        List<Path> samples = files(directories, "samples*.jtl");
        Stream<List<Path>> sealedAlone = SEALED_ALONE.stream().map(pattern -> files(directories, pattern));
        for (Path path : Stream.concat(Stream.of(probes, samples), sealedAlone)
                .flatMap(List::stream)
                .toList()) {
            List<Seal> seals = seals(run, path);
            Damage damage = seals.isEmpty() ? null : SealedFile.findDamage(path, seals, false);
            if (damage != null) {
                flaws.add(Flaw.of(damage));
            }
        }
        flaws.addAll(countedProbes(run, probes));
        return new RunData(
                run,
                new SampleLog(probes, unread.probes()),
                new SampleLog(samples, unread.samples()),
                journals.points(),
                unread,
                missing,
                flaws);
    }

    private static List<Seal> seals(Run run, Path path) {
        return run.evidence().seals().getOrDefault(String.valueOf(path.getFileName()), List.of());
    }

    /** The probes' log, where it has no seal, has as many as the prober recorded. */
    private static List<Flaw> countedProbes(Run run, List<Path> probes) {
        Long recorded = Flaw.countProbes(run.evidence().generator());
        if (recorded == null
                || probes.stream().allMatch(path -> !seals(run, path).isEmpty())) {
            return List.of();
        }
        long found = 0;
        for (Iterator<Sample> each = new SampleLog(probes, new Ignored()).iterator(); each.hasNext(); each.next()) {
            found++;
        }
        Long lost = run.evidence().generator().lost();
        Flaw flaw = Flaw.ofCount(RunDirectory.PROBES_FILE, recorded - (lost == null ? 0 : lost), found);
        return flaw == null ? List.of() : List.of(flaw);
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
                || point.isEvent(EventKind.WARNING);
        return known ? point : null;
    }

    /** The one run that all parts belong to; not every part has to hold its description. */
    private static Run run(List<Path> directories) {
        List<Path> described = directories.stream()
                .filter(path -> Files.exists(path.resolve(RunDirectory.RUN_FILE)))
                .toList();
        Path first = described.isEmpty() ? directories.get(0) : described.get(0);
        Run run = RunFile.read(first);
        for (Path path : described) {
            Run other = RunFile.read(path);
            if (!other.id().equals(run.id())) {
                throw new RunDirectoryException(path + " is run " + other.id() + ", " + first + " is run " + run.id()
                        + ": not parts of one run");
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
            throw RunDirectoryException.cannotRead(directory, error);
        }
        found.sort(null);
        return found;
    }
}
