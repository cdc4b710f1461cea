package io.github.switchover.jmeter.core;

import java.util.HashSet;
import java.util.Set;

/** Printable names of a run's backends or balancers, at most 128 characters each and limited in number. Thread-safe. */
public final class BoundedNames {

    /** The maximum number of characters of a name. */
    public static final int NAME_LIMIT = 128;

    /** The maximum number of distinct backends, and of distinct balancers, in a run. */
    public static final int NAMES_LIMIT = 256;

    public static final String OTHER = "other";

    private final int limit;
    private final Set<String> names = new HashSet<>();
    private boolean overflowed;

    public BoundedNames(int limit) {
        this.limit = limit;
    }

    /** Returns the name for a text from the network; {@link #OTHER} for a new name beyond the limit. */
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

    /** Returns the text without control characters, without blanks at its ends, and cut to 128 characters. */
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

    /** A fast path: nearly every name is clean, and {@link #clean} is called for every sample. */
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

    /** Returns the first characters of a text. A surrogate pair is one character. */
    private static String first(String text, int characters) {
        return text.codePointCount(0, text.length()) <= characters
                ? text
                : text.substring(0, text.offsetByCodePoints(0, characters));
    }
}
