package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.PublicText;

/** The texts of a result as they are recorded: cut, and without a secret. Thread-safe. */
final class SampleText {

    /** Characters of a label, a URL or a message that are kept. */
    static final int TEXT_LIMIT = 2048;

    private static final int CACHE_LIMIT = 10_000;
    private static final String NO_STATUS = "Non HTTP response code";

    private final BoundedCache<String, String> addresses = new BoundedCache<>(CACHE_LIMIT, PublicText::requestedUrl);

    /** There was no answer: instead of a status the code names an exception, or is empty. */
    static boolean isThrown(String code) {
        return code.isEmpty() || code.startsWith(NO_STATUS);
    }

    /** A three-digit HTTP status. */
    static boolean isStatus(String code) {
        return code.matches("[1-5][0-9]{2}");
    }

    static String message(String message) {
        return BoundedNames.clean(limited(message));
    }

    /** Why it failed. */
    static String failureMessage(String message) {
        return PublicText.message(limited(message));
    }

    String address(String url) {
        return addresses.get(limited(url));
    }

    /** One that was not chosen is the end of its URL, whose values may be secret. */
    static String label(String label, String url) {
        String cut = limited(label);
        boolean chosen = cut.isEmpty() || !url.endsWith(cut);
        return chosen ? cut : PublicText.requestedUrl(cut);
    }

    static String limited(String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= TEXT_LIMIT ? text : text.substring(0, TEXT_LIMIT);
    }
}
