package io.github.switchover.jmeter.cli;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.verdict.Judge;
import io.github.switchover.jmeter.verdict.RunData;
import io.github.switchover.jmeter.verdict.RunLoader;
import io.github.switchover.jmeter.verdict.Summary;
import io.github.switchover.jmeter.verdict.Verdict;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The command line of the jar without JMeter: {@code verdict DIR} judges a run directory again. */
public final class Main {

    static final String HELP = """
            usage: java -jar jmeter-switchover.jar verdict [options] DIR

            Judge a run directory again and print the verdict. Nothing in the directory is changed.

              --json   print the verdict as JSON instead of the summary
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

    public static void main(String[] words) {
        // The output has characters that the platform's default encoding may lack, but current terminals read UTF-8.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        int code = new Main(out, err).run(List.of(words));
        out.flush();
        System.exit(code);
    }

    /** Returns the exit code. An error is printed as one line. */
    int run(List<String> words) {
        try {
            return dispatch(words);
        } catch (UsageException error) {
            err.println(PROGRAM + ": " + error.getMessage() + SEE);
        } catch (SwitchoverException error) {
            err.println(PROGRAM + ": " + error.getMessage());
        } catch (RuntimeException error) {
            err.println(PROGRAM + ": internal error: " + error);
        }
        return Verdict.EXIT_INVALID;
    }

    private int dispatch(List<String> words) {
        String first = words.isEmpty() ? "" : words.get(0);
        if (words.contains("--help") || words.contains("-h")) {
            out.print(HELP);
            return Verdict.EXIT_PASSED;
        }
        return switch (first) {
            case "" -> throw new UsageException("no command given: use verdict DIR");
            case "--version" -> {
                out.print(PROGRAM + " " + RunDirectory.version() + "\n");
                yield Verdict.EXIT_PASSED;
            }
            case "verdict" -> verdict(words.subList(1, words.size()));
            default -> throw new UsageException(ReadableText.quoted(first) + " is not a command: use verdict DIR");
        };
    }

    private int verdict(List<String> words) {
        boolean isJson = words.contains("--json");
        List<String> directories =
                words.stream().filter(word -> !word.equals("--json")).toList();
        for (String word : directories) {
            if (word.startsWith("-")) {
                throw new UsageException("verdict: " + ReadableText.quoted(word) + " is no option");
            }
        }
        if (directories.size() != 1) {
            throw new UsageException("verdict: name one run directory, such as runs/<time>-<name>");
        }
        Path directory = Path.of(directories.get(0));
        if (!Files.isDirectory(directory)) {
            throw new RunDirectoryException(
                    directory + " is not a directory: name a run directory, such as runs/<time>-<name>");
        }
        RunData data = RunLoader.load(directory);
        Verdict verdict = Judge.judge(data);
        if (isJson) {
            out.print(verdict.json());
        } else {
            Summary.lines(data.run(), verdict, "with --json").forEach(line -> out.print(line + "\n"));
        }
        return verdict.exitCode();
    }
}
