package io.github.switchover.jmeter.target;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The known word that a misspelt one was probably meant to be. */
public final class CloseMatch {

    /** So many characters of a word may be wrong, missing or too many for each one that is right. */
    private static final double WRONG_SHARE = 0.4;

    private CloseMatch() {}

    public static Optional<String> of(String word, Collection<String> known) {
        return known.stream()
                .filter(candidate ->
                        distance(candidate, word) <= WRONG_SHARE * Math.max(candidate.length(), word.length()))
                .min(Comparator.<String>comparingInt(candidate -> distance(candidate, word))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Characters to change, add or leave out (Levenshtein). */
    private static int distance(String a, String b) {
        int[] before = new int[b.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = before[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, Math.min(before[j], row[j - 1]) + 1);
            }
            before = row;
        }
        return before[b.length()];
    }
}
