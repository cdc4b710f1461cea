package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.SessionHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads status line and headers of an HTTP/1.x response (RFC 9112) from bytes that anybody may have sent. A head seen a
 * moment ago is not read again: they differ by their Date once a second, so few are alive at a time. Not thread-safe;
 * the {@link IdentityReader} may be shared.
 */
public final class HeadReader {

    /** Bytes of status line and headers; what sends more does not speak to us. */
    public static final int HEAD_LIMIT = 64 * 1024;

    static final int CACHE_LIMIT = 64;

    /** Bytes of a head that is worth remembering. */
    private static final int CACHED_BYTES = 4096;

    /** A header continued on the next line, which a user agent reads as a blank (RFC 9112 section 5.2). */
    private static final Pattern FOLD = Pattern.compile("\r?\n[ \t]+");

    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.([0-9]) ([1-9][0-9]{2})(?: ([^\r\n]*))?\r?", Pattern.DOTALL);

    private final IdentityReader who;
    private final String stickyCookie;
    private final BoundedCache<String, Head> cache = new BoundedCache<>(CACHE_LIMIT, this::parse);
    /** Mostly the next one, too; and to compare it takes a tenth of the time of a look-up, which has to hash it. */
    private Head latest = Head.NONE;

    private byte[] latestBytes = new byte[0];

    /** {@code stickyCookie}: the cookie whose value is the session; null: none. */
    public HeadReader(IdentityReader who, String stickyCookie) {
        this.who = who;
        this.stickyCookie = stickyCookie;
    }

    /** The head that the bytes hold, blank line included. Never throws: garbage has a {@code violation}. */
    Head read(byte[] data, int offset, int length) {
        if (length > CACHED_BYTES) {
            return parse(new String(data, offset, length, StandardCharsets.ISO_8859_1));
        }
        if (!Arrays.equals(data, offset, offset + length, latestBytes, 0, latestBytes.length)) {
            latestBytes = Arrays.copyOfRange(data, offset, offset + length);
            latest = cache.get(new String(latestBytes, StandardCharsets.ISO_8859_1));
        }
        return latest;
    }

    private Head parse(String text) {
        String[] lines = FOLD.matcher(text).replaceAll(" ").split("\n", -1);
        Matcher start = STATUS_LINE.matcher(lines[0]);
        if (!start.matches()) {
            return Head.broken("the answer has no HTTP/1.x status line");
        }
        int status = Integer.parseInt(start.group(2));
        HeaderFields fields = new HeaderFields(lines);
        long bodyLength = fields.violation().isEmpty() ? fields.bodyLength(status) : 0;
        if (!fields.violation().isEmpty()) {
            return Head.broken(fields.violation());
        }
        boolean persistent = fields.isPersistent(start.group(1).equals("0"));
        Identity identity = who.identify(fields.pairs());
        return new Head(
                status,
                start.group(3) == null ? "" : BoundedNames.clean(start.group(3)),
                new Head.Framing(bodyLength, persistent && bodyLength != Head.UNTIL_CLOSE && status != 101),
                identity,
                stickyCookie == null ? "" : SessionHash.of(fields.cookie(stickyCookie)),
                text,
                "");
    }
}
