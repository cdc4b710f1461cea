package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Damage;
import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.JournalReader;
import io.github.switchover.jmeter.core.JournalRecord;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleReader;
import io.github.switchover.jmeter.core.Seal;
import io.github.switchover.jmeter.core.SealedFile;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.RunData.Flaw;
import io.github.switchover.jmeter.judge.RunData.UnreadLines;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Reads a run directory; several parts of one run are one run. */
public final class RunLoader {

    /** Files that only {@code switchover report} reads; whether they are as the run left them is told here, too. */
    private static final List<String> SEALED_ALONE =
            List.of("access-*.csv", "connections*.jtl", "retrying_client*.jtl");

    private static final String CONTROLLERS_JOURNAL = "journal.lp";
    private static final Set<String> PROBER_JOURNALS = Set.of("journal-prober.lp", "journal-metronome.lp");
    private static final Set<String> LOAD_JOURNALS = Set.of("journal-locust.lp", "journal-jmeter.lp");

    private final List<Path> directories;
    private final Run run;
    private final List<Flaw> flaws = new ArrayList<>();

    private RunLoader(List<Path> directories) {
        this.directories = directories;
        run = run(directories);
    }

    /** A run directory, and with it the parts of the same run that other hosts kept. */
    public static RunData load(Path directory, Path... parts) {
        List<Path> directories = new ArrayList<>(List.of(directory));
        directories.addAll(List.of(parts));
        return new RunLoader(directories).load();
    }

    private RunData load() {
        UnreadLines unread = UnreadLines.none();
        List<String> missing = Stream.concat(
                        run.tree().texts("parts").stream(), run.tree().child("seals").names().stream())
                .distinct()
                .filter(name -> files(name).isEmpty())
                .toList();
        JournalReader journals = new JournalReader(unread.journals(), RunLoader::wanted);
        for (Path path : files("journal*.lp")) {
            if (!path.endsWith(RunDirectory.VERDICT_JOURNAL)) {
                check(journals.read(path, seals(path)));
            }
        }
        List<Path> probes = files(RunDirectory.PROBES_FILE);
        List<Path> samples = files("samples*.jtl");
        List<Path> sealed = new ArrayList<>(probes);
        sealed.addAll(samples);
        SEALED_ALONE.forEach(pattern -> sealed.addAll(files(pattern)));
        for (Path path : sealed) {
            if (!seals(path).isEmpty()) {
                addDamage(SealedFile.findDamage(path, seals(path), false));
            }
        }
        checkProbes(probes);
        return new RunData(
                run,
                () -> new SampleLog(probes.iterator(), unread.probes()),
                () -> new SampleLog(samples.iterator(), unread.samples()),
                journals.points(),
                unread,
                missing,
                flaws);
    }

    private List<Seal> seals(Path path) {
        return run.seals(String.valueOf(path.getFileName()));
    }

    private void addDamage(Damage damage) {
        if (damage != null) {
            flaws.add(new Flaw(
                    damage.name(),
                    VerdictReason.of(ReasonCode.FILE_DAMAGED, "name", damage.name(), "what", damage.text())));
        }
    }

    /** A journal without a seal, of an earlier version or of a killed process, is compared with what the run counted. */
    private void check(JournalRecord record) {
        String name = record.name();
        if (record.damage() != null || record.isSealed()) {
            addDamage(record.damage());
            return;
        }
        Long endUs = run.plan().endUs();
        if (name.equals(CONTROLLERS_JOURNAL) && endUs != null && !record.isEnded()) {
            long startUs = run.plan().startUs() == null ? endUs : run.plan().startUs();
            long lastUs = record.lastNs() == Long.MIN_VALUE ? startUs : Units.usOfNs(record.lastNs());
            double earlyS = Units.secondsOfUs(Math.max(0, endUs - lastUs));
            flaws.add(new Flaw(name, VerdictReason.of(ReasonCode.RECORD_ENDS, "name", name, "early_s", earlyS)));
        } else if (PROBER_JOURNALS.contains(name)) {
            checkCount(name, recordedProbes(), record.counts().getOrDefault(Measurements.PROBES, 0L));
        } else if (LOAD_JOURNALS.contains(name)) {
            List<Tree> workers = run.workers();
            boolean isKnown = !workers.isEmpty() && workers.stream().allMatch(worker -> worker.has("points"));
            long recorded = workers.stream()
                    .mapToLong(worker -> worker.whole("points", 0))
                    .sum();
            checkCount(name, isKnown ? (Long) recorded : null, record.counts().getOrDefault(Measurements.REQUESTS, 0L));
        }
    }

    /** {@code recorded} null: not known. */
    private void checkCount(String name, Long recorded, long found) {
        if (recorded != null && recorded != found) {
            flaws.add(new Flaw(
                    name,
                    VerdictReason.of(ReasonCode.COUNT_DIFFERS, "name", name, "recorded", recorded, "found", found)));
        }
    }

    /** How many probes the prober recorded, on both kinds of connection; null where it does not say. */
    private Long recordedProbes() {
        Tree account = run.generator();
        Tree kept = account.child("kept");
        boolean isKnown = account.has("recorded") && (!account.has("kept") || kept.has("recorded"));
        return isKnown ? (Long) (account.whole("recorded") + kept.whole("recorded", 0)) : null;
    }

    /** The probes' log, where it has no seal, has as many as the prober recorded. */
    private void checkProbes(List<Path> probes) {
        Long recorded = recordedProbes();
        if (recorded != null && !probes.stream().allMatch(path -> !seals(path).isEmpty())) {
            long found = 0;
            for (SampleLog log = new SampleLog(probes.iterator(), new Ignored()); log.hasNext(); log.next()) {
                found++;
            }
            checkCount(RunDirectory.PROBES_FILE, recorded - run.generator().whole("lost", 0), found);
        }
    }

    /** Of telemetry there may be more than a process can hold: the fields that the figures look at, or null. */
    private static Point wanted(Point point) {
        if (NodeLife.isScrape(point)) {
            return NodeLife.stateOnly(point);
        }
        boolean known = NodeLife.isAsking(point)
                || point.measurement().equals(Measurements.VRRP)
                || point.measurement().equals(Measurements.ADVERT)
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
    private List<Path> files(String pattern) {
        List<Path> found = new ArrayList<>();
        for (Path directory : directories) {
            List<Path> matching = new ArrayList<>();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
                for (Path path : files) {
                    matching.add(path.toRealPath());
                }
            } catch (IOException error) {
                throw RunDirectoryException.cannotRead(directory, error);
            }
            matching.sort(null);
            matching.removeAll(found);
            found.addAll(matching);
        }
        return found;
    }

    /** The samples of several files, one after the other, and never held. */
    private static final class SampleLog implements Iterator<Sample> {

        private final Iterator<Path> paths;
        private final Ignored ignored;
        private Iterator<Sample> current = Collections.emptyIterator();

        SampleLog(Iterator<Path> paths, Ignored ignored) {
            this.paths = paths;
            this.ignored = ignored;
            // Read anew each time, and what could not be read counts once.
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
