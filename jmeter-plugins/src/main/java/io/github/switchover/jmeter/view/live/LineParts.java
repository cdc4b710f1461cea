package io.github.switchover.jmeter.view.live;

/**
 * The parts of a line that were written by ourselves, found without parsing all of it: a line of HAProxy has a hundred
 * columns, of which a shipper needs one.
 */
final class LineParts {

    private static final int DIGITS = 19;

    private LineParts() {}

    /** Where measurement and tags end: at the first blank that no backslash stands before. */
    static int seriesEnd(String line) {
        int at = line.indexOf(' ');
        while (at > 0 && line.charAt(at - 1) == '\\') {
            at = line.indexOf(' ', at + 1);
        }
        return at < 0 ? line.length() : at;
    }

    /** The timestamp; null if the line does not end with one. */
    static Long timeNs(String line) {
        int start = line.lastIndexOf(' ') + 1;
        return whole(line, start, line.length());
    }

    /** A field that is a whole number, among those behind {@code from}; null if it is not there. */
    static Long wholeField(String line, int from, String name) {
        for (int at = line.indexOf(name, from); at > 0; at = line.indexOf(name, at + 1)) {
            int start = at + name.length() + 1;
            boolean isField = (line.charAt(at - 1) == ' ' || line.charAt(at - 1) == ',')
                    && start <= line.length()
                    && line.charAt(start - 1) == '=';
            int end = isField ? line.indexOf('i', start) : -1;
            if (end > 0) {
                return whole(line, start, end);
            }
        }
        return null;
    }

    private static Long whole(String text, int start, int end) {
        if (start >= end || end - start > DIGITS) {
            return null;
        }
        for (int at = start; at < end; at++) {
            if (text.charAt(at) < '0' || text.charAt(at) > '9') {
                return null;
            }
        }
        try {
            return Long.valueOf(text.substring(start, end));
        } catch (NumberFormatException error) {
            return null;
        }
    }
}
