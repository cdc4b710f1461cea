package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.identity.Names;
import io.github.switchover.jmeter.samples.FailureKind;
import io.github.switchover.jmeter.samples.ResultFailure;
import io.github.switchover.jmeter.samples.Sample;
import io.github.switchover.jmeter.text.PublicText;
import java.util.HashMap;
import java.util.Map;

/** Makes a sample of what was taken: its texts are cut, and hold no secret. Not thread-safe. */
final class SampleText {

    /** Characters of a label, a URL or a message that are kept. */
    static final int TEXT_LIMIT = 2048;

    private static final int CACHE_LIMIT = 10_000;
    private static final String NO_STATUS = "Non HTTP response code";
    private static final long US_PER_MS = 1000;

    private final Map<String, String> addresses = new HashMap<>();

    Sample sampleOf(Taken taken) {
        String code = taken.code().startsWith(NO_STATUS) ? "" : limited(taken.code());
        String url = taken.url() == null ? "" : taken.url().toExternalForm();
        FailureKind error = taken.success() ? null : taken.error();
        if (error == null && !taken.success()) {
            error = ResultFailure.kindOf(taken.code(), taken.message() == null ? "" : taken.message());
        }
        return new Sample(
                taken.startUs(),
                Math.max(taken.startUs(), taken.endUs()),
                null,
                labelOf(limited(taken.label()), url),
                code,
                code.isEmpty() ? "" : Names.clean(limited(taken.message())),
                limited(taken.thread()),
                taken.success(),
                failureMessageOf(taken, code),
                Math.max(0, taken.nbytes()),
                Math.max(0, taken.sentBytes()),
                addressOf(limited(url)),
                Math.max(0, taken.latencyMs()) * US_PER_MS,
                Math.max(0, taken.connectMs()) * US_PER_MS,
                taken.identity(),
                error,
                1,
                taken.stream(),
                taken.session(),
                Math.max(0, taken.users()));
    }

    /** A three-digit HTTP status. */
    static boolean isStatus(String code) {
        if (code.length() != 3 || code.charAt(0) < '1' || code.charAt(0) > '5') {
            return false;
        }
        return Character.isDigit(code.charAt(1)) && Character.isDigit(code.charAt(2));
    }

    /** What an assertion said, else what was thrown; a bad status speaks for itself. */
    private static String failureMessageOf(Taken taken, String code) {
        if (taken.success()) {
            return "";
        }
        String said = taken.failureMessage().isEmpty() && code.isEmpty() ? taken.message() : taken.failureMessage();
        return PublicText.message(limited(said));
    }

    private String addressOf(String url) {
        if (addresses.size() >= CACHE_LIMIT) {
            addresses.clear();
        }
        return addresses.computeIfAbsent(url, PublicText::requestedUrl);
    }

    /** One that nobody chose is the end of its URL, whose values are not for everybody's eyes. */
    private static String labelOf(String label, String url) {
        boolean chosen = label.isEmpty() || !url.endsWith(label);
        return chosen ? label : PublicText.requestedUrl(label);
    }

    private static String limited(String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= TEXT_LIMIT ? text : text.substring(0, TEXT_LIMIT);
    }
}
