package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which node answers for an address on this network: the neighbour entry's hardware address, and whose it is. */
record Neighbours(Path arpTable) {

    static final Neighbours OF_THIS_MACHINE = new Neighbours(Path.of("/proc/net/arp"));

    /** ATF_COM of linux/if_arp.h: the entry has its hardware address. */
    private static final long COMPLETE = 0x2;

    private static final Pattern FLAGS = Pattern.compile("0[xX][0-9a-fA-F]{1,8}");
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Source.Command SHOW = new Source.Command(List.of("ip", "-6", "-o", "neighbour", "show"));
    private static final int LIMIT_BYTES = 1024 * 1024;
    private static final long POLL_MS = 10;

    /** A node, or null and why there is none. */
    record FoundNode(String name, String reason) {}

    /** The node that answers for an address, by node name and own address. */
    FoundNode nodeAt(InetAddress address, Map<String, InetAddress> hosts, int port, Deadline deadline)
            throws IOException {
        String shown = address.getHostAddress();
        String entry = hardwareAddress(address, port, deadline);
        if (entry == null) {
            return new FoundNode(null, shown + " has no neighbour entry: it is not on this network");
        }
        List<String> owners = new ArrayList<>();
        for (Map.Entry<String, InetAddress> host : hosts.entrySet()) {
            if (entry.equals(hardwareAddress(host.getValue(), port, deadline))) {
                owners.add(host.getKey());
            }
        }
        if (owners.size() == 1) {
            return new FoundNode(owners.get(0), shown + " is at " + entry + ", as " + owners.get(0) + " is");
        }
        if (!owners.isEmpty()) {
            return new FoundNode(null, String.join(" and ", owners) + " share the hardware address " + entry);
        }
        return new FoundNode(null, shown + " is at " + entry + ", which is no node's own hardware address");
    }

    /** Complete entries of /proc/net/arp: IPv4 address to hardware address. */
    static Map<String, String> parseArp(String table) {
        Map<String, String> found = new HashMap<>();
        table.lines().forEach(line -> {
            String[] words = BLANKS.split(line.strip(), -1);
            if (words.length == 6 && words[0].matches("[0-9.]{7,15}")) {
                Matcher flags = FLAGS.matcher(words[2]);
                if (flags.matches() && (Long.decode(words[2]) & COMPLETE) != 0) {
                    found.put(words[0], words[3].toLowerCase(Locale.ROOT));
                }
            }
        });
        return found;
    }

    /** Usable entries of {@code ip -o neighbour show}: address to hardware address. */
    static Map<String, String> parseNeighbours(String listing) {
        Map<String, String> found = new HashMap<>();
        listing.lines().forEach(line -> {
            List<String> words = List.of(BLANKS.split(line.strip(), -1));
            int at = words.indexOf("lladdr");
            String last = words.get(words.size() - 1);
            if (at > 0 && at + 1 < words.size() && !last.equals("FAILED") && !last.equals("INCOMPLETE")) {
                found.put(words.get(0), words.get(at + 1).toLowerCase(Locale.ROOT));
            }
        });
        return found;
    }

    /**
     * The neighbour entry of an address, made by a connection attempt if need be; null if it is not on this network.
     * The attempt is given up at once: the kernel asks for the address in any case.
     */
    private String hardwareAddress(InetAddress address, int port, Deadline deadline) throws IOException {
        boolean six = address instanceof Inet6Address;
        try (SocketChannel attempt =
                SocketChannel.open(six ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
            attempt.configureBlocking(false);
            try {
                attempt.connect(new InetSocketAddress(address, port));
            } catch (IOException refused) {
                // Its result does not matter: only the entry counts.
            }
            while (true) {
                String entry = table(six, deadline).get(plain(address));
                if (entry != null || deadline.hasPassed()) {
                    return entry;
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Map<String, String> table(boolean six, Deadline deadline) {
        try {
            if (!six) {
                return parseArp(Files.readString(arpTable, StandardCharsets.ISO_8859_1));
            }
            double leftS = Math.max(deadline.leftS(), 0.001);
            byte[] listing = Transport.fetch(SHOW, null, leftS, LIMIT_BYTES, null);
            Map<String, String> byAddress = new HashMap<>();
            for (Map.Entry<String, String> entry :
                    parseNeighbours(new String(listing, StandardCharsets.UTF_8)).entrySet()) {
                if (entry.getKey().indexOf(':') >= 0) {
                    byAddress.put(plain(InetAddress.getAllByName(entry.getKey())[0]), entry.getValue());
                }
            }
            return byAddress;
        } catch (IOException | SourceException error) {
            return Map.of();
        }
    }

    private static String plain(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }
}
