package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.verdict.Judge;
import io.github.switchover.jmeter.verdict.RunData;
import io.github.switchover.jmeter.verdict.RunLoader;
import io.github.switchover.jmeter.verdict.Summary;
import io.github.switchover.jmeter.verdict.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a run. {@code verdict} null: it could not be judged, and the summary has the reason. */
public record RunResult(Path directory, Run run, @Nullable Verdict verdict, List<String> summary) {

    private static final String NOT_IN_A_FILE = "printed by `java -jar jmeter-switchover.jar verdict --json`";

    /** Judges a finished run and writes {@code verdict.json}. Does not change any other file of the run. */
    static RunResult of(RunRecord record) {
        Path directory = record.directory();
        boolean isSaved = record.unsaved() == null;
        try {
            RunData found = RunLoader.load(directory);
            RunData data = isSaved ? found : found.with(record.run());
            Verdict verdict = Judge.judge(data);
            if (!isSaved) {
                verdict = verdict.notWritten("run.json could not be written at the end: this is judged from memory");
            }
            String more = "in " + RunDirectory.VERDICT_FILE;
            try {
                verdict.write(directory);
            } catch (RunDirectoryException error) {
                verdict = verdict.notWritten(error.getMessage());
                more = NOT_IN_A_FILE;
            }
            return new RunResult(directory, data.run(), verdict, Summary.lines(data.run(), verdict, more));
        } catch (SwitchoverException error) {
            String line = "INVALID  " + directory.getFileName() + ": " + error.getMessage();
            return new RunResult(directory, record.run(), null, List.of(line));
        }
    }

    RunResult with(String line) {
        List<String> lines = new ArrayList<>(summary);
        lines.add(line);
        return new RunResult(directory, run, verdict, lines);
    }
}
