package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.run.Run;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a run. {@code verdict} null: it could not be judged, and the summary has the reason. */
public record RunResult(Path directory, Run run, @Nullable Verdict verdict, List<String> summary) {

    public RunResult {
        summary = List.copyOf(summary);
    }

    RunResult with(String line) {
        List<String> lines = new ArrayList<>(summary);
        lines.add(line);
        return new RunResult(directory, run, verdict, lines);
    }
}
