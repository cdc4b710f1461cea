package io.github.switchover.jmeter.cli;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.Version;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the jar can do where there is no JMeter, and how it speaks when something is wrong. */
public final class Main {

    static final String HELP = """
            usage: java -jar jmeter-switchover.jar verdict [options] DIR [PART...]

            Judge a run directory again and print the verdict. PARTs are what other hosts kept of the same run.
            Nothing in the directory is changed: verdict.json there may hold more, which 'switchover report' wrote.

              --limit NAME=LIMIT  judge against these limits instead of the run's own; repeatable:
                                   outage=5s, failback=1s, split-brain=0s, failed=90%, failed-total=1%, late=0
              --json               print the verdict as JSON instead of the summary
              --junit FILE         write it as JUnit XML too
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
        // What is printed has signs that the platform's own encoding may lack; a terminal of today reads UTF-8.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        int code = new Main(out, err).run(List.of(statuses));
        out.flush();
        System.exit(code);
    }

    /** The exit code; an error is one line. */
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
        return switch (first) {
            case "" -> throw new UsageException("say what to do: verdict DIR");
            case "--help", "-h" -> print(HELP);
            case "--version" -> print(PROGRAM + " " + Version.current() + "\n");
            case "verdict" -> verdict(statuses.subList(1, statuses.size()));
            default -> throw new UsageException(ReadableText.quoted(first) + " is no command; there is verdict");
        };
    }

    private int verdict(List<String> statuses) {
        return statuses.contains("--help") || statuses.contains("-h")
                ? print(HELP)
                : VerdictCommand.of(statuses).run(out);
    }

    private int print(String text) {
        out.print(text);
        return Verdict.EXIT_PASSED;
    }
}
