package io.github.switchover.jmeter.target;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the known word that a misspelt word probably means. The algorithm is that of Python's {@code difflib}, so that
 * Python and Java print the same error.
 */
public final class CloseMatch {

    static final double USUAL = 0.6;

    private CloseMatch() {}

    /**
     * {@code least}: the smallest accepted similarity, as the share of characters that both words contain in the same
     * order.
     */
    public static Optional<String> of(String word, Collection<String> known, double least) {
        return known.stream()
                .filter(candidate -> ratio(candidate, word) >= least)
                .max(Comparator.<String>comparingDouble(candidate -> ratio(candidate, word))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static double ratio(String a, String b) {
        return a.isEmpty() && b.isEmpty() ? 1 : 2.0 * common(a, b) / (a.length() + b.length());
    }

    /**
     * Counts the characters of the longest common substring, of the longest common substrings on both sides of it, and
     * so on.
     */
    private static int common(String a, String b) {
        int longest = 0;
        int endA = 0;
        int endB = 0;
        int[] before = new int[b.length() + 1];
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            for (int j = 1; j <= b.length(); j++) {
                row[j] = a.charAt(i - 1) == b.charAt(j - 1) ? before[j - 1] + 1 : 0;
                if (row[j] > longest) {
                    longest = row[j];
                    endA = i;
                    endB = j;
                }
            }
            before = row;
        }
        return longest == 0
                ? 0
                : longest
                        + common(a.substring(0, endA - longest), b.substring(0, endB - longest))
                        + common(a.substring(endA), b.substring(endB));
    }
}
