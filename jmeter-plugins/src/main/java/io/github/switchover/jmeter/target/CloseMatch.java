package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PointFormat;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** What somebody may have meant: the same guess as Python's {@code difflib.get_close_matches}. */
final class CloseMatch {

    /** How alike two words must be; difflib's own default. */
    private static final double CUTOFF = 0.6;

    private CloseMatch() {}

    static Optional<String> of(String word, Collection<String> known) {
        return known.stream()
                .filter(candidate -> ratio(candidate, word) >= CUTOFF)
                .max(Comparator.<String>comparingDouble(candidate -> ratio(candidate, word))
                        .thenComparing(PointFormat.CODE_POINT_ORDER));
    }

    /** Twice the characters in matching blocks, by those of both (Ratcliff and Obershelp). */
    private static double ratio(String a, String b) {
        int length = a.length() + b.length();
        return length == 0 ? 1.0 : 2.0 * matching(a, b) / length;
    }

    /** The longest common block, the first of several, and what matches on either side of it. */
    private static int matching(String a, String b) {
        int size = 0;
        int atA = 0;
        int atB = 0;
        for (int i = 0; i < a.length(); i++) {
            for (int j = 0; j < b.length(); j++) {
                int common = commonPrefix(a, i, b, j);
                if (common > size) {
                    size = common;
                    atA = i;
                    atB = j;
                }
            }
        }
        return size == 0
                ? 0
                : size
                        + matching(a.substring(0, atA), b.substring(0, atB))
                        + matching(a.substring(atA + size), b.substring(atB + size));
    }

    private static int commonPrefix(String a, int i, String b, int j) {
        int n = 0;
        while (i + n < a.length() && j + n < b.length() && a.charAt(i + n) == b.charAt(j + n)) {
            n++;
        }
        return n;
    }
}
