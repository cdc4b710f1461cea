package io.github.switchover.jmeter.cli;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.Limit;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.judge.Summary;
import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.run.RunDirectory.Version;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The command line of the jar without JMeter: {@code verdict DIR} judges a run directory again. */
public final class Main {

    static final String HELP = """
            usage: java -jar jmeter-switchover.jar verdict [options] DIR

            Judge a run directory again and print the verdict. Nothing in the directory is changed.

              --limit NAME=LIMIT  judge against these limits instead of the run's own; repeatable:
                                   outage=5s, failback=1s, split-brain=0s, failed=90%, failed-total=1%, late=0
              --json               print the verdict as JSON instead of the summary
              --help, --version

            exit codes: 0 PASSED, MEASURED, DRY RUN; 1 FAILED, NOT RECOVERED, NOT RESTORED;
                        2 not fired, without effect, not healed, stopped, inconclusive or invalid
            """;

    private static final String PROGRAM = "switchover";
    private static final String SEE = " (see 'java -jar jmeter-switchover.jar --help')";

    private final PrintStream out;
    private final PrintStream err;

    Main(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] statuses) {
        // The output has characters that the platform's default encoding may lack, but current terminals read UTF-8.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        int code = new Main(out, err).run(List.of(statuses));
        out.flush();
        System.exit(code);
    }

    /** Returns the exit code. An error is printed as one line. */
    int run(List<String> statuses) {
        try {
            return dispatch(statuses);
        } catch (UsageException error) {
            err.println(PROGRAM + ": " + error.getMessage() + SEE);
        } catch (SwitchoverException error) {
            err.println(PROGRAM + ": " + error.getMessage());
        } catch (RuntimeException error) {
            err.println(PROGRAM + ": internal error: " + error);
        }
        return Verdict.EXIT_INVALID;
    }

    private int dispatch(List<String> statuses) {
        String first = statuses.isEmpty() ? "" : statuses.get(0);
        if (statuses.contains("--help") || statuses.contains("-h")) {
            out.print(HELP);
            return Verdict.EXIT_PASSED;
        }
        return switch (first) {
            case "" -> throw new UsageException("no command given: use verdict DIR");
            case "--version" -> {
                out.print(PROGRAM + " " + Version.current() + "\n");
                yield Verdict.EXIT_PASSED;
            }
            case "verdict" -> verdict(statuses.subList(1, statuses.size()));
            default -> throw new UsageException(ReadableText.quoted(first) + " is not a command: use verdict DIR");
        };
    }

    private int verdict(List<String> statuses) {
        List<Path> directories = new ArrayList<>();
        List<Limit> limits = new ArrayList<>();
        boolean isJson = false;
        Iterator<String> rest = statuses.iterator();
        while (rest.hasNext()) {
            String status = rest.next();
            int equals = status.startsWith("--") ? status.indexOf('=') : -1;
            String option = equals < 0 ? status : status.substring(0, equals);
            if (!status.startsWith("-")) {
                directories.add(Path.of(status));
            } else if (status.equals("--json")) {
                isJson = true;
            } else if (option.equals("--limit")) {
                if (equals < 0 && !rest.hasNext()) {
                    throw new UsageException("verdict: " + option + " needs a value");
                }
                String value = equals < 0 ? rest.next() : status.substring(equals + 1);
                limits.add(Limit.parse(value));
            } else {
                throw new UsageException("verdict: " + ReadableText.quoted(status) + " is no option");
            }
        }
        if (directories.size() != 1) {
            throw new UsageException("verdict: name one run directory, such as runs/<time>-<name>");
        }
        Path directory = directories.get(0);
        if (!Files.isDirectory(directory)) {
            throw new RunDirectoryException(
                    directory + " is no directory: name a run directory, such as runs/<time>-<name>");
        }
        RunData data = RunLoader.load(directory);
        Verdict verdict = limits.isEmpty() ? Judge.judge(data) : Judge.judge(data, limits);
        if (isJson) {
            out.print(verdict.json());
        } else {
            Summary.lines(data.run(), verdict, "with --json").forEach(line -> out.print(line + "\n"));
        }
        return verdict.exitCode();
    }
}
