package io.github.switchover.jmeter.cli;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.Limit;
import io.github.switchover.jmeter.judge.Limits;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.print.JUnitXml;
import io.github.switchover.jmeter.print.Summary;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictFile;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * {@code verdict DIR}: the verdict on a run, again, from what it left behind.
 *
 * @param limits those that were asked for instead of the run's own; empty: the run's own
 * @param junit where to write it as JUnit XML; null: nowhere
 */
record VerdictCommand(List<Path> directories, List<Limit> limits, boolean json, Path junit) {

    static VerdictCommand of(List<String> statuses) {
        List<Path> directories = new ArrayList<>();
        List<Limit> limits = new ArrayList<>();
        boolean json = false;
        Path junit = null;
        Iterator<String> rest = statuses.iterator();
        while (rest.hasNext()) {
            String status = rest.next();
            int equals = status.startsWith("--") ? status.indexOf('=') : -1;
            String option = equals < 0 ? status : status.substring(0, equals);
            String attached = equals < 0 ? null : status.substring(equals + 1);
            if (!status.startsWith("-")) {
                directories.add(path(status));
            } else if (option.equals("--limit")) {
                limits.add(Limits.parse(value(option, attached, rest)));
            } else if (option.equals("--junit")) {
                junit = path(value(option, attached, rest));
            } else if (status.equals("--json")) {
                json = true;
            } else {
                throw new UsageException("verdict: " + ReadableText.quoted(status) + " is no option");
            }
        }
        if (directories.isEmpty()) {
            throw new UsageException("verdict: name a run directory, such as runs/<time>-<name>");
        }
        return new VerdictCommand(directories, limits, json, junit);
    }

    /** Prints the verdict and returns its exit code. */
    int run(PrintStream out) {
        for (Path directory : directories) {
            if (!Files.isDirectory(directory)) {
                throw new RunDirectoryException(
                        directory + " is no directory: name a run directory, such as runs/<time>-<name>");
            }
        }
        Path[] parts = directories.stream().skip(1).toArray(Path[]::new);
        RunData data = RunLoader.load(directories.get(0), parts);
        Verdict verdict = limits.isEmpty() ? Judge.judge(data) : Judge.judge(data, limits);
        if (junit != null) {
            WholeFile.write(junit, JUnitXml.of(data.run(), verdict));
        }
        if (json) {
            out.print(VerdictFile.text(verdict));
        } else {
            Summary.lines(data.run(), verdict, "with --json").forEach(line -> out.print(line + "\n"));
        }
        return verdict.exitCode();
    }

    private static String value(String option, String attached, Iterator<String> rest) {
        if (attached == null && !rest.hasNext()) {
            throw new UsageException("verdict: " + option + " needs a value");
        }
        return attached == null ? rest.next() : attached;
    }

    private static Path path(String status) {
        try {
            return Path.of(status);
        } catch (InvalidPathException error) {
            throw new UsageException("verdict: " + ReadableText.quoted(status) + " is no path", error);
        }
    }
}
