package io.github.switchover.jmeter.recording;

import java.util.Arrays;

/** Where the values of a few headers stand in a text with a line for each. Not one of them is copied. */
final class HeaderValues {

    /** Characters of a value that is worth comparing; a longer one will hardly come again. */
    private static final int LONGEST = 256;

    private final String headers;
    private final int[] starts;
    private final int[] ends;
    private boolean plain = true;

    /** What is looked for, and with what a line may begin that is worth looking at: most are not. */
    static final class HeaderNames {

        private static final int CHARACTERS = 128;

        private final String[] names;
        private final boolean[] begin = new boolean[CHARACTERS];

        /** An empty name is not looked for. */
        HeaderNames(String... names) {
            this.names = names;
            for (String name : names) {
                if (!name.isEmpty()) {
                    admit(Character.toUpperCase(name.charAt(0)));
                    admit(Character.toLowerCase(name.charAt(0)));
                }
            }
        }

        private void admit(char c) {
            if (c < CHARACTERS) {
                begin[c] = true;
            } else {
                Arrays.fill(begin, true);
            }
        }

        /** Beyond ASCII lower and upper case are not one to one. */
        private boolean mayBegin(char c) {
            return c >= CHARACTERS || begin[c];
        }
    }

    HeaderValues(String headers, HeaderNames wanted) {
        this.headers = headers;
        String[] names = wanted.names;
        starts = new int[names.length];
        ends = new int[names.length];
        int end = headers.length();
        int start = 0;
        while (start < end) {
            int newline = headers.indexOf('\n', start);
            int lineEnd = newline < 0 ? end : newline;
            for (int i = 0; wanted.mayBegin(headers.charAt(start)) && i < names.length; i++) {
                if (isNamed(headers, start, lineEnd, names[i])) {
                    put(i, start + names[i].length() + 1, lineEnd);
                }
            }
            start = lineEnd + 1;
        }
    }

    /** Whether that line of a text is the header of that name, in upper or lower case. */
    static boolean isNamed(String text, int start, int end, String name) {
        int colon = start + name.length();
        return colon < end
                && text.charAt(colon) == ':'
                && !name.isEmpty()
                && text.regionMatches(true, start, name, 0, name.length());
    }

    /** Each header stands there once at most, and its value begins and ends with a printable ASCII character. */
    boolean arePlain() {
        return plain;
    }

    boolean is(int header, String value) {
        int length = ends[header] - starts[header];
        return length == value.length() && headers.regionMatches(starts[header], value, 0, length);
    }

    String text(int header) {
        return headers.substring(starts[header], ends[header]);
    }

    /** Whether there is a value, and whether it ends with {@code -}: nul, {@code -}, or {@code x} for anything else. */
    char last(int header) {
        if (ends[header] == starts[header]) {
            return '\0';
        }
        return headers.charAt(ends[header] - 1) == '-' ? '-' : 'x';
    }

    private void put(int header, int from, int to) {
        int start = from;
        int end = to;
        while (start < end && isBlank(headers.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(headers.charAt(end - 1))) {
            end--;
        }
        boolean first = starts[header] == 0;
        starts[header] = start;
        ends[header] = end;
        plain &= first && end - start <= LONGEST && (start == end || (isPlain(start) && isPlain(end - 1)));
    }

    private boolean isPlain(int place) {
        char c = headers.charAt(place);
        return c > ' ' && c <= '~';
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\r';
    }
}
