package io.github.switchover.jmeter.core;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Removes secrets from printed addresses and commands: passwords, query values and arguments. */
public final class PublicText {

    private static final String HIDDEN = "***";
    private static final Pattern CREDENTIALS = Pattern.compile("//.*@", Pattern.DOTALL);

    /** The authority of a URL. The URL may follow the colon of another URL. */
    private static final Pattern AUTHORITY = Pattern.compile("(?<![^:])//[^/]*@");

    private static final Pattern QUOTED_USER = Pattern.compile("(?<=:)//[^/\\s?#]*@", Pattern.UNICODE_CHARACTER_CLASS);

    /** A URL query in free text: from a question mark inside a word up to the punctuation at its end. */
    private static final Pattern QUOTED_QUERY =
            Pattern.compile("(?<=[^\\s?])\\?[^\\s\"'<>]*[^\\s\"'<>:,.)\\]]", Pattern.UNICODE_CHARACTER_CLASS);

    /** Returns the URL without user and password (up to the last @), fragment and query values. */
    public static String url(String url) {
        return withoutValues(CREDENTIALS.matcher(ReadableText.before(url, '#')).replaceAll("//"));
    }

    /** Returns a requested URL in the form of {@link #url}. The URL is well-formed, so an @ in its path may stay. */
    public static String requestedUrl(String url) {
        String address = ReadableText.before(url, '#');
        int mark = address.indexOf('?');
        String path = mark < 0 ? address : address.substring(0, mark);
        String query = mark < 0 ? "" : address.substring(mark);
        return withoutValues(AUTHORITY.matcher(path).replaceFirst("//") + query);
    }

    /** Returns the message of an exception. Each URL in the message has the form of {@link #url}. */
    public static String message(String message) {
        return QUOTED_QUERY
                .matcher(QUOTED_USER.matcher(message).replaceAll("//"))
                .replaceAll(found -> Matcher.quoteReplacement(requestedUrl(found.group())));
    }

    /** Returns the public form of an invalid text from a user, which may be a malformed URL. */
    public static String text(String text) {
        String open = url(text);
        return open.substring(open.lastIndexOf('@') + 1);
    }

    /** Returns the program without its arguments: {@code ssh …}. */
    public static String command(List<String> arguments) {
        return arguments.size() > 1 ? arguments.get(0) + " …" : String.join("", arguments);
    }

    private static String withoutValues(String address) {
        int mark = address.indexOf('?');
        if (mark < 0) {
            return address;
        }
        return Arrays.stream(address.substring(mark + 1).split("&", -1))
                .map(PublicText::withoutValue)
                .collect(Collectors.joining("&", address.substring(0, mark + 1), ""));
    }

    private static String withoutValue(String part) {
        int equals = part.indexOf('=');
        return equals < 0 ? HIDDEN : part.substring(0, equals + 1) + HIDDEN;
    }
}
