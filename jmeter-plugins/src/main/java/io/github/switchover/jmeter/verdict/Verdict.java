package io.github.switchover.jmeter.verdict;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.WholeFile;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The short verdict: {@code verdict.json} until {@code switchover report} replaces it.
 *
 * <p>{@code fine}: the status without reasons. {@code figures}: other fields; null or missing: unknown to the jar.
 */
public record Verdict(
        Status fine, List<VerdictReason> reasons, List<String> warnings, List<LimitResult> limits, Tree figures) {

    public static final int SCHEMA = 3;
    public static final int EXIT_PASSED = 0;
    public static final int EXIT_INVALID = 2;

    /** The most severe status of the reasons. */
    public Status status() {
        return reasons.stream()
                .map(VerdictReason::status)
                .min(Comparator.naturalOrder())
                .orElse(fine);
    }

    public int exitCode() {
        return status().exitCode();
    }

    /** The texts of the reasons, the most severe first. */
    public List<String> reasonTexts() {
        return loudestFirst().map(VerdictReason::text).toList();
    }

    Stream<VerdictReason> loudestFirst() {
        return reasons.stream().sorted(Comparator.comparing(VerdictReason::status));
    }

    /** Adds that a file could not be written. */
    public Verdict notWritten(String why) {
        VerdictReason reason = VerdictReason.of(ReasonCode.NOT_WRITTEN, "why", why);
        List<VerdictReason> more =
                Stream.concat(reasons.stream(), Stream.of(reason)).toList();
        return new Verdict(fine, more, warnings, limits, figures);
    }

    public Tree tree() {
        return figures.with("verdict", status().text())
                .with("exit_code", exitCode())
                .with(
                        "valid",
                        reasons.stream().noneMatch(reason -> reason.status().isDistrust()))
                .with("reasons", reasons.stream().map(VerdictReason::tree).toList())
                .with("warnings", warnings)
                .with("limits", limits.stream().map(LimitResult::tree).toList());
    }

    public String json() {
        return Json.file(tree().json());
    }

    /** Replaces verdict.json. Throws RunDirectoryException if it cannot be written. */
    public void write(Path directory) {
        WholeFile.write(directory.resolve(RunDirectory.VERDICT_FILE), json());
    }

    /** A reason that worsens a run's status: a code with its figures, and their text. */
    public record VerdictReason(ReasonCode code, Tree figures, String text) {

        private static final Pattern PLACE = Pattern.compile("\\{(\\w+)(?::([^}]*))?\\}");

        /** Creates a reason. {@code figures} alternates names and values. */
        public static VerdictReason of(ReasonCode code, @Nullable Object... figures) {
            Tree values = Tree.of(figures);
            Matcher place = PLACE.matcher(code.template());
            String text =
                    place.replaceAll(match -> Matcher.quoteReplacement(format(values, match.group(1), match.group(2))));
            return new VerdictReason(code, values, text);
        }

        public Status status() {
            return code.status();
        }

        Tree tree() {
            return Tree.of("code", code.label(), "figures", figures, "text", text);
        }

        private static String format(Tree values, String name, String form) {
            if (",".equals(form)) {
                return Numbers.grouped(requireNonNull(values.whole(name)));
            }
            return ".1f".equals(form)
                    ? Numbers.fixed(requireNonNull(values.number(name)), 1)
                    : requireNonNull(values.text(name));
        }
    }

    /** The status of a run, the most severe first. */
    public enum Status {
        /** The victim of the fault may still be broken. */
        NOT_HEALED(2),
        /** The run ended before all planned steps were done. */
        STOPPED(2),
        /** A fault was planned, but was not fired. */
        NOT_FIRED(2),
        /** A figure may be wrong. */
        INVALID(2),
        /** The service was still down at the end of the run. */
        NOT_RECOVERED(1),
        /** A limit is exceeded. */
        FAILED(1),
        /** The limit lies inside the interval of the figure, so this run cannot show whether the limit is kept. */
        INCONCLUSIVE(2),
        /** All steps except the fault were done, as the user requested. */
        DRY_RUN(0),
        /** All figures are valid, and the user gave no limit. */
        MEASURED(0),
        /** All figures are valid, and every limit is kept. */
        PASSED(0);

        private final int exitCode;

        Status(int exitCode) {
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }

        public String text() {
            return name().replace('_', ' ');
        }

        /** True if a figure may be wrong, or if the run differed from its plan. */
        public boolean isDistrust() {
            return exitCode == 2 && this != INCONCLUSIVE;
        }
    }
}
