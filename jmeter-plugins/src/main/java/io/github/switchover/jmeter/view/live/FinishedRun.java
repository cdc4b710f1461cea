package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleReader;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.judge.UnreadLines;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.LongPredicate;

/** A run that is over, or a sample log without one, read from its files and judged. */
final class FinishedRun {

    private static final long SETTLED_EVERY = 1 << 18;
    private static final long TOLD_EVERY = 1 << 12;

    private final LongPredicate progress;
    private final ObservedRun observed;
    private long lateUs;
    private long read;

    private FinishedRun(Path path, LongPredicate progress) {
        this.progress = progress;
        observed = new ObservedRun(path);
    }

    /** The run directory that a path is, or stands in for; null: it is a sample log by itself. */
    static Path directory(Path path) {
        if (Files.isDirectory(path)) {
            return path;
        }
        Path parent = path.toAbsolutePath().getParent();
        boolean inRun = parent != null && Files.exists(parent.resolve(RunDirectory.RUN_FILE));
        String name = String.valueOf(path.getFileName());
        boolean ofRun = !name.endsWith(".jtl") || name.equals(RunDirectory.PROBES_FILE) || name.startsWith("samples");
        return inRun && ofRun && Files.exists(path) ? parent : null;
    }

    /** Others may still be writing it. */
    static boolean isOn(Path directory) {
        return RunFile.read(directory).plan().endUs() == null
                && !Files.exists(directory.resolve(RunDirectory.VERDICT_FILE));
    }

    /**
     * What a run directory, or any JTL, tells.
     *
     * @param progress is told how many samples have been read; false: stop
     * @throws io.github.switchover.jmeter.core.SwitchoverException which says what is wrong with it
     * @throws CancellationException {@code progress} said so
     */
    static RunSnapshot read(Path path, LongPredicate progress) {
        Path directory = directory(path);
        return directory == null
                ? new FinishedRun(path, progress).samples(path)
                : new FinishedRun(directory, progress).run(directory);
    }

    private RunSnapshot run(Path directory) {
        RunData data = RunLoader.load(directory);
        observed.describe(data.run());
        lateUs = data.run().settings().lateUs();
        FileTail journals = FileTail.journals(directory);
        while (journals.read((file, line) -> observed.readOther(line))) {
            tell();
        }
        RunData counted = new RunData(
                data.run(),
                new Counted(data.probes(), false),
                new Counted(data.samples(), true),
                data.points(),
                data.unread(),
                data.missing(),
                data.flaws());
        Verdict verdict = Judge.judge(counted);
        Verdict written = VerdictFile.read(directory, data.run().id());
        return snapshot(RunSnapshot.RunState.JUDGED, written == null ? verdict : verdict.completedBy(written));
    }

    /** Its figures are those of the load alone: without a fault and without probes all of it is one baseline. */
    private RunSnapshot samples(Path path) {
        Ignored ignored = new Ignored();
        Iterable<Sample> samples = () -> new SampleReader(path, new Ignored());
        long fromUs = Long.MAX_VALUE;
        long toUs = Long.MIN_VALUE;
        for (Sample sample : new Counted(() -> new SampleReader(path, ignored), null)) {
            fromUs = Math.min(fromUs, sample.startUs());
            toUs = Math.max(toUs, sample.endUs());
        }
        if (read == 0) {
            throw new RunDirectoryException(path + " has no sample that could be read");
        }
        String name = String.valueOf(path.getFileName());
        Run run = Run.named(name, name)
                .with(RunSettings.unprobed())
                .with(PlanTimes.NOTHING.started(fromUs).ended(toUs + 1));
        observed.describe(run);
        lateUs = run.settings().lateUs();
        RunData data = new RunData(
                run, List.of(), new Counted(samples, true), List.of(), UnreadLines.none(), List.of(), List.of());
        Verdict verdict = Judge.judge(data, List.of());
        if (ignored.total() > 0) {
            verdict =
                    verdict.warning(ViewText.count(ignored.total()) + " lines could not be read: " + ignored.reasons());
        }
        return snapshot(RunSnapshot.RunState.SAMPLES, verdict);
    }

    private RunSnapshot snapshot(RunSnapshot.RunState state, Verdict verdict) {
        observed.settle(0);
        return observed.snapshot(state, 0, verdict, null);
    }

    private void tell() {
        if (!progress.test(read)) {
            throw new CancellationException();
        }
    }

    /** Counts samples on their way to the analysis, the first time that it walks through them. */
    private final class Counted implements Iterable<Sample> {

        private final Iterable<Sample> samples;
        private final Boolean requests;
        private boolean walked;

        /** {@code requests}: false if they are probes, null if they are only to be read. */
        Counted(Iterable<Sample> samples, Boolean requests) {
            this.samples = samples;
            this.requests = requests;
        }

        @Override
        public Iterator<Sample> iterator() {
            Iterator<Sample> all = samples.iterator();
            boolean first = !walked && requests != null;
            tell();
            walked = true;
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return all.hasNext();
                }

                @Override
                public Sample next() {
                    Sample sample = all.next();
                    if (first) {
                        count(sample, requests);
                    }
                    if (++read % TOLD_EVERY == 0) {
                        tell();
                    }
                    return sample;
                }
            };
        }
    }

    private void count(Sample sample, boolean request) {
        int outcome = EndedCounts.place(Outcome.of(sample, lateUs));
        if (outcome >= 0 && (request || !sample.request().stream().equals("kept"))) {
            observed.count(
                    sample.endUs() / Units.US_PER_S, request ? AnswerSource.of(sample.identity()) : null, outcome);
        }
        if (read % SETTLED_EVERY == 0) {
            observed.settle(0);
        }
    }
}
