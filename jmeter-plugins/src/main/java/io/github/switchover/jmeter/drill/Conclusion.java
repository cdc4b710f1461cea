package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.JsonText;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.judge.VerdictJson;
import io.github.switchover.jmeter.print.FindingEvents;
import io.github.switchover.jmeter.print.JUnitXml;
import io.github.switchover.jmeter.print.Summary;
import io.github.switchover.jmeter.print.VerdictPoints;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What follows a run: the verdict, and the files that say it. */
final class Conclusion {

    private Conclusion() {}

    /** {@code unsaved} is what run.json would say if it could have been written; null: it says it. */
    static RunResult of(Path directory, Run unsaved) {
        try {
            Verdict verdict = judged(directory, unsaved);
            findings(directory, verdict);
            return new RunResult(directory, verdict, verdict.exitCode(), Summary.lines(verdict), verdict.warnings());
        } catch (SwitchoverException error) {
            return new RunResult(
                    directory,
                    null,
                    Verdict.EXIT_UNTRUSTED,
                    List.of("NOT TRUSTED  " + directory.getFileName() + ": " + error.getMessage()),
                    List.of());
        }
    }

    private static Verdict judged(Path directory, Run unsaved) {
        RunData data = RunLoader.load(directory);
        Verdict verdict = Judge.judge(unsaved == null ? data : data.with(unsaved));
        if (unsaved != null) {
            verdict = unwritten(verdict, "run.json could not be written at the end: this is judged from memory");
        }
        try {
            WholeFile.write(directory.resolve(RunDirectory.VERDICT_FILE), JsonText.of(VerdictJson.of(verdict)) + '\n');
            WholeFile.write(directory.resolve(RunDirectory.JUNIT_FILE), JUnitXml.of(verdict));
            return verdict;
        } catch (RunDirectoryException error) {
            return unwritten(verdict, error.getMessage());
        }
    }

    /** In the journals, for who follows those. No run is given up for them: the verdict says the same. */
    private static void findings(Path directory, Verdict verdict) {
        try (Journal journal = new Journal(
                directory.resolve(Telemetry.JOURNAL),
                Map.of("run", verdict.run().id()))) {
            FindingEvents.write(journal, verdict);
            VerdictPoints.write(directory, verdict.run(), VerdictJson.of(verdict));
        } catch (RunDirectoryException error) {
            return;
        }
    }

    private static Verdict unwritten(Verdict verdict, String why) {
        List<String> reasons = new ArrayList<>(verdict.reasons());
        reasons.add(why);
        return verdict.withReasons(reasons);
    }
}
