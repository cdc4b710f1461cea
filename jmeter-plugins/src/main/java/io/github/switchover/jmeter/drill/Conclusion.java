package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.print.FindingEvents;
import io.github.switchover.jmeter.print.JUnitXml;
import io.github.switchover.jmeter.print.Summary;
import io.github.switchover.jmeter.print.VerdictPoints;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictFile;
import io.github.switchover.jmeter.run.VerdictReason;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What follows a run: the verdict, and the files that say it. */
final class Conclusion {

    private static final String NOT_IN_A_FILE = "with `java -jar jmeter-switchover.jar verdict --json`";

    private Conclusion() {}

    /** Adds to the record what stands behind the verdict. */
    static RunResult of(RunRecord record) {
        Path directory = record.directory();
        Run unsaved = record.unsaved() == null ? null : record.run();
        try {
            RunData found = RunLoader.load(directory);
            RunData data = unsaved == null ? found : found.with(unsaved);
            Judge.Assessment assessment = Judge.assess(data);
            Verdict verdict = assessment.verdict();
            if (unsaved != null) {
                verdict = verdict.because(
                        notWritten("run.json could not be written at the end: this is judged from memory"));
            }
            Verdict told = written(directory, data.run(), verdict);
            writeFindings(record, assessment, told);
            String more = told.equals(verdict) ? "in " + RunDirectory.VERDICT_FILE : NOT_IN_A_FILE;
            return new RunResult(directory, told, Summary.lines(data.run(), told, more));
        } catch (SwitchoverException error) {
            return new RunResult(
                    directory, null, List.of("INVALID  " + directory.getFileName() + ": " + error.getMessage()));
        }
    }

    private static Verdict written(Path directory, Run run, Verdict verdict) {
        try {
            VerdictFile.write(directory, verdict, Summary.lines(run, verdict, "in " + RunDirectory.VERDICT_FILE));
            WholeFile.write(directory.resolve(RunDirectory.JUNIT_FILE), JUnitXml.of(run, verdict));
            return verdict;
        } catch (RunDirectoryException error) {
            return verdict.because(notWritten(error.getMessage()));
        }
    }

    /** Into the journals, for databases. No run is given up for them: the verdict says the same. */
    private static void writeFindings(RunRecord record, Judge.Assessment assessment, Verdict verdict) {
        Path directory = record.directory();
        Run run = record.run();
        try (Journal journal = new Journal(directory.resolve(Telemetry.JOURNAL), Map.of("run", run.id()))) {
            FindingEvents.write(journal, assessment);
            record.seal(journal.path(), journal.seal());
            VerdictPoints.write(directory, run, verdict);
        } catch (RunDirectoryException error) {
            return;
        }
    }

    private static VerdictReason notWritten(String why) {
        return VerdictReason.of(ReasonCode.NOT_WRITTEN, "why", why);
    }
}
