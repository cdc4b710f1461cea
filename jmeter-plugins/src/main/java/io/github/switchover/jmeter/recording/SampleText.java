package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.PublicText;
import org.jspecify.annotations.Nullable;

/** Prepares the texts of a result for recording: cut to a limit, and without secrets. Thread-safe. */
final class SampleText {

    /** The most characters of a label, a URL or a message that are recorded. */
    static final int TEXT_LIMIT = 2048;

    private static final int CACHE_LIMIT = 10_000;
    private static final String NO_STATUS = "Non HTTP response code";

    private final BoundedCache<String, String> addresses = new BoundedCache<>(CACHE_LIMIT, PublicText::requestedUrl);

    /** Returns true without an answer: the code names an exception, or is empty. */
    static boolean isThrown(String code) {
        return code.isEmpty() || code.startsWith(NO_STATUS);
    }

    /** Returns true for a three-digit HTTP status. */
    static boolean isStatus(String code) {
        return code.matches("[1-5][0-9]{2}");
    }

    static String message(String message) {
        return BoundedNames.clean(limited(message));
    }

    static String failureMessage(String message) {
        return PublicText.message(limited(message));
    }

    String address(String url) {
        return addresses.get(limited(url));
    }

    /** Returns the label. A label that is the end of the URL was not chosen by the user, and may be secret. */
    static String label(String label, String url) {
        String cut = limited(label);
        boolean chosen = cut.isEmpty() || !url.endsWith(cut);
        return chosen ? cut : PublicText.requestedUrl(cut);
    }

    static String limited(@Nullable String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= TEXT_LIMIT ? text : text.substring(0, TEXT_LIMIT);
    }
}
