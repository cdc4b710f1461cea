package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.ReasonCode;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.judge.Summary;
import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.judge.Verdict.VerdictReason;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import java.nio.file.Path;
import java.util.List;

/** Judges a finished run and writes {@code verdict.json}. Does not change any other file of the run. */
final class Conclusion {

    private static final String NOT_IN_A_FILE = "printed by `java -jar jmeter-switchover.jar verdict --json`";

    private Conclusion() {}

    static RunResult of(RunRecord record) {
        Path directory = record.directory();
        boolean isSaved = record.unsaved() == null;
        try {
            RunData found = RunLoader.load(directory);
            RunData data = isSaved ? found : found.with(record.run());
            Verdict verdict = Judge.judge(data);
            if (!isSaved) {
                verdict = verdict.because(
                        notWritten("run.json could not be written at the end: this is judged from memory"));
            }
            try {
                verdict.write(directory);
                return result(directory, data.run(), verdict, "in " + RunDirectory.VERDICT_FILE);
            } catch (RunDirectoryException error) {
                return result(directory, data.run(), verdict.because(notWritten(error.getMessage())), NOT_IN_A_FILE);
            }
        } catch (SwitchoverException error) {
            return new RunResult(
                    directory,
                    record.run(),
                    null,
                    List.of("INVALID  " + directory.getFileName() + ": " + error.getMessage()));
        }
    }

    private static RunResult result(Path directory, Run run, Verdict verdict, String more) {
        return new RunResult(directory, run, verdict, Summary.lines(run, verdict, more));
    }

    private static VerdictReason notWritten(String why) {
        return VerdictReason.of(ReasonCode.NOT_WRITTEN, "why", why);
    }
}
