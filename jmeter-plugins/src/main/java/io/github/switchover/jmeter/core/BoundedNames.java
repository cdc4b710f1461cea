package io.github.switchover.jmeter.core;

import java.util.HashSet;
import java.util.Set;

/** The names seen in a run: printable, at most 128 characters, and a bounded number of them. Thread-safe. */
public final class BoundedNames {

    /** Characters of a name. */
    public static final int NAME_LIMIT = 128;

    /** Distinct backends, and distinct balancers, of a run. */
    public static final int NAMES_LIMIT = 256;

    public static final String OTHER = "other";

    private final int limit;
    private final Set<String> names = new HashSet<>();
    private boolean overflowed;

    public BoundedNames(int limit) {
        this.limit = limit;
    }

    /** The name to use for a text from the network; empty for an empty text. */
    public synchronized String admit(String raw) {
        String name = clean(raw);
        if (name.isEmpty() || names.contains(name)) {
            return name;
        }
        if (names.size() >= limit) {
            overflowed = true;
            return OTHER;
        }
        names.add(name);
        return name;
    }

    public synchronized boolean overflowed() {
        return overflowed;
    }

    /** The text as a name: no control characters, no blanks around it, at most 128 characters. */
    public static String clean(String raw) {
        if (isClean(raw)) {
            return raw;
        }
        String head = first(raw, IdentityReader.HEADER_LIMIT);
        StringBuilder printable = new StringBuilder(head.length());
        head.chars().filter(c -> !Character.isISOControl(c)).forEach(c -> printable.append((char) c));
        String stripped = stripBlanks(printable.toString());
        return stripBlanks(first(stripped, NAME_LIMIT));
    }

    /** Nearly every name is clean, and this is called for every sample. */
    private static boolean isClean(String raw) {
        int length = raw.length();
        if (length > NAME_LIMIT) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = raw.charAt(i);
            if (c < ' ' || c > '~') {
                return false;
            }
        }
        return length == 0 || (raw.charAt(0) != ' ' && raw.charAt(length - 1) != ' ');
    }

    private static String stripBlanks(String text) {
        return text.replaceAll("^ +| +$", "");
    }

    /** The first characters of a text, pairs of surrogates counted as one. */
    private static String first(String text, int characters) {
        return text.codePointCount(0, text.length()) <= characters
                ? text
                : text.substring(0, text.offsetByCodePoints(0, characters));
    }
}
