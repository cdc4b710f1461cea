package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.UrlParts;
import java.net.InetAddress;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One address in the output of {@code ip address}. {@code stampNs}: the node's local time read as UTC. */
record AddressLine(
        String iface,
        InetAddress address,
        boolean deleted,
        @Nullable Long stampNs) {

    /** The words from the program {@code ip} on. iproute2 accepts abbreviations of {@code monitor address}. */
    private static final Pattern MONITOR = Pattern.compile(
            "(?<ip>(?:[\\w./:@%+=,-]+ )*(?:[\\w./-]*/)?ip)(?: -[\\w-]+)* (?<verb>[a-z]+) (?<of>[a-z]+)");

    /** Some builds of {@code ip} colour their output on a terminal. */
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

    private static final Pattern LINE =
            Pattern.compile("(?:\\[(?<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6})] ?)?"
                    + "(?:\\[[^\\]]{0,40}] ?)*(?<deleted>Deleted )?"
                    + "[0-9]{1,10}: (?<iface>\\S{1,64})\\s+inet6? (?<address>[0-9A-Fa-f.:]{2,45})(?:/[0-9]{1,3}| )");
    private static final double QUARTER_NS = 15 * 60 * (double) Units.NS_PER_S;

    /** Parses a line of {@code ip -ts monitor address} or {@code ip -o address show}. */
    static @Nullable AddressLine parse(String line) {
        Matcher match = LINE.matcher(COLOUR.matcher(line).replaceAll(""));
        if (!match.lookingAt()) {
            return null;
        }
        InetAddress address = UrlParts.parseAddress(match.group("address"));
        if (address == null) {
            return null;
        }
        try {
            Long stampNs = match.group("stamp") == null ? null : stampNs(match.group("stamp"));
            return new AddressLine(match.group("iface"), address, match.group("deleted") != null, stampNs);
        } catch (DateTimeException | ArithmeticException garbage) {
            return null;
        }
    }

    /** Returns the interfaces with a wanted address; null if the output is invalid: every host has an address. */
    static @Nullable Set<String> interfacesWith(List<String> lines, Set<InetAddress> wanted) {
        Set<String> found = new HashSet<>();
        boolean any = false;
        for (String text : lines) {
            AddressLine line = parse(text);
            any |= line != null;
            if (line != null && wanted.contains(line.address)) {
                found.add(line.iface);
            }
        }
        return any ? found : null;
    }

    /**
     * Derives {@code ssh lb1 ip -o address show} from {@code ssh lb1 ip -ts monitor address}; null if not possible.
     *
     * <p>The last argument may be a whole command line, such as {@code "sudo ip -ts monitor address"}.
     */
    static Source.@Nullable Command showCommand(Source.Command monitor) {
        List<String> words = monitor.arguments();
        for (int at = words.size() - 1; at >= 0; at--) {
            String line = String.join(" ", words.subList(at, words.size()));
            Matcher match = MONITOR.matcher(line.strip().replaceAll(" +", " "));
            if (match.matches()
                    && "monitor".startsWith(match.group("verb"))
                    && "address".startsWith(match.group("of"))) {
                List<String> show = new ArrayList<>(words.subList(0, at));
                boolean isLine = at == words.size() - 1;
                show.addAll(
                        isLine
                                ? List.of(match.group("ip") + " -o address show")
                                : List.of(match.group("ip"), "-o", "address", "show"));
                return new Source.Command(show, monitor.variables());
            }
        }
        return null;
    }

    /** Converts a local time to UTC, with the time zone (a multiple of 15 minutes) that is closest to the arrival. */
    static long localToUtcNs(long stampNs, long arrivedNs) {
        return stampNs + (long) (Math.rint((arrivedNs - stampNs) / QUARTER_NS) * QUARTER_NS);
    }

    private static long stampNs(String text) {
        Instant moment = LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        return Math.addExact(Math.multiplyExact(moment.getEpochSecond(), Units.NS_PER_S), moment.getNano());
    }
}
