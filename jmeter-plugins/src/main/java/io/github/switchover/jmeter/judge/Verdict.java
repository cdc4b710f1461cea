package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.run.RunDirectory;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The short verdict on a run, {@code verdict.json} of a run without {@code switchover report}.
 *
 * @param fine the word without any reason
 * @param reasons why the word is no better
 * @param figures the other fields of verdict.json; what the jar could not know is null, or not there
 */
public record Verdict(
        Status fine, List<VerdictReason> reasons, List<String> warnings, List<LimitResult> limits, Tree figures) {

    public static final int SCHEMA = 3;
    public static final int EXIT_PASSED = 0;
    public static final int EXIT_INVALID = 2;

    /** The loudest word of the reasons. */
    public Status status() {
        return reasons.stream()
                .map(VerdictReason::status)
                .min(Comparator.naturalOrder())
                .orElse(fine);
    }

    public int exitCode() {
        return status().exitCode();
    }

    /** The texts of the reasons, the loudest first. */
    public List<String> reasonTexts() {
        return loudestFirst().map(VerdictReason::text).toList();
    }

    Stream<VerdictReason> loudestFirst() {
        return reasons.stream().sorted(Comparator.comparing(VerdictReason::status));
    }

    /** The same, with one more reason. */
    public Verdict because(VerdictReason reason) {
        List<VerdictReason> more =
                Stream.concat(reasons.stream(), Stream.of(reason)).toList();
        return new Verdict(fine, more, warnings, limits, figures);
    }

    /** As verdict.json has it. */
    public Tree tree() {
        Tree tree = figures.with("verdict", status().text())
                .with("exit_code", exitCode())
                .with(
                        "valid",
                        reasons.stream().noneMatch(reason -> reason.status().isDistrust()))
                .with("reasons", reasons.stream().map(VerdictReason::tree).toList())
                .with("warnings", warnings)
                .with("limits", limits.stream().map(LimitResult::tree).toList());
        return tree;
    }

    public String json() {
        return Json.file(tree().json());
    }

    /**
     * Replaces verdict.json.
     *
     * @param lines the verdict as plain text, which the window shows
     * @throws io.github.switchover.jmeter.core.RunDirectoryException if it cannot be written
     */
    public void write(Path directory, List<String> lines) {
        WholeFile.write(
                directory.resolve(RunDirectory.VERDICT_FILE),
                Json.file(tree().with("lines", lines).json()));
    }
}
