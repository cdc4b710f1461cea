package io.github.switchover.jmeter.core;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** An IP address as it is written (RFC 4291, section 2.2): what Java alone would take for a name is none here. */
public final class AddressText {

    private static final String OCTET = "(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    private static final String FOUR = OCTET + "(?:\\." + OCTET + "){3}";

    /** What else makes an IPv6 address, Java checks. */
    private static final Pattern ADDRESS =
            Pattern.compile(FOUR + "|(?:[0-9A-Fa-f]{0,4}:){2,8}(?:[0-9A-Fa-f]{0,4}|" + FOUR + ")");

    private AddressText() {}

    /** Null if the text is no address; no name server is asked. */
    public static InetAddress parse(String text) {
        if (!ADDRESS.matcher(text).matches()) {
            return null;
        }
        try {
            return InetAddress.getAllByName(text)[0];
        } catch (UnknownHostException wrong) {
            return null;
        }
    }
}
