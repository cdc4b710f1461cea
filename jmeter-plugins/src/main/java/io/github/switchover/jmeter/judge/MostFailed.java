package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.Sample;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Which requests failed most often: the three most common, as {@code 405 /setCurrency 199 times}. Not thread-safe. */
final class MostFailed {

    private static final int NAMED = 3;

    /** Characters of a label that are kept; it may come from the network, with control characters in it. */
    private static final int LABEL_LENGTH = 60;

    /** Labels with numbers in them may be as many as there are requests: those that come first are told apart. */
    private static final int TOLD_APART = 10_000;

    private static final Pattern BLANKS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Z}]+");
    private static final Pattern STATUS = Pattern.compile("[0-9]{3}");

    private final Map<String, Long> times = new HashMap<>();

    /** {@code failed}: one that the client could send. */
    void add(Sample failed) {
        add(what(failed) + " " + label(failed), 1L);
    }

    void addAll(MostFailed other) {
        other.times.forEach(this::add);
    }

    /** Empty where none failed. */
    String text() {
        return times.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey(PointFormat.CODE_POINT_ORDER)))
                .limit(NAMED)
                .map(one -> one.getKey()
                        + (one.getValue() == 1 ? " once" : " " + Numbers.grouped(one.getValue()) + " times"))
                .collect(Collectors.joining(", "));
    }

    private void add(String text, long count) {
        if (times.size() < TOLD_APART || times.containsKey(text)) {
            times.merge(text, count, Long::sum);
        }
    }

    private static String what(Sample failed) {
        FailureKind kind = failed.error();
        String code = failed.answer().code();
        if ((kind == null || kind == FailureKind.STATUS) && STATUS.matcher(code).matches()) {
            return code;
        }
        return kind == null ? "unknown" : kind.label();
    }

    private static String label(Sample failed) {
        String line = BLANKS.matcher(failed.request().label()).replaceAll(" ").strip();
        if (line.isEmpty()) {
            return "without a label";
        }
        if (line.codePointCount(0, line.length()) <= LABEL_LENGTH) {
            return line;
        }
        return line.substring(0, line.offsetByCodePoints(0, LABEL_LENGTH - 1)).stripTrailing() + "…";
    }
}
