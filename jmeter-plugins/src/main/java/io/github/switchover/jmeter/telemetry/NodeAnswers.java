package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The answers of a node to single questions about itself. A missing answer is null or empty. */
public final class NodeAnswers {

    private static final int NAME_BYTES = 4096;
    private static final int ADDRESSES_BYTES = 1 << 20;
    private static final List<String> DATE = List.of("date", "+%s.%N");
    private static final List<String> UNAME = List.of("uname", "-n");

    public static @Nullable HaproxySnapshot haproxy(Node node) {
        if (node.sources().haproxy() == null) {
            return null;
        }
        try {
            return new HaproxyReader(node.sources().haproxy()).read(Units.nowS(), Transport.TIMEOUT_S);
        } catch (SourceException error) {
            return null;
        }
    }

    /** The host name of a node, read over the same connection as its clock. */
    public static String uname(Node node) {
        return name(unameCommand(node.sources().clock()));
    }

    /** The host name, read over ssh. {@code way} is the ssh command up to the host. */
    public static String uname(List<String> way, List<String> variables) {
        return way.isEmpty() ? "" : name(new Source.Command(joined(way, UNAME), variables));
    }

    public static Set<InetAddress> addresses(Node node) {
        for (Source source : node.sources().vipOwner()) {
            Source.Command show = source instanceof Source.Command command ? AddressLine.showCommand(command) : null;
            String printed = show == null ? "" : printed(show, ADDRESSES_BYTES);
            Set<InetAddress> found = printed.lines()
                    .map(AddressLine::parse)
                    .filter(Objects::nonNull)
                    .map(AddressLine::address)
                    .collect(Collectors.toSet());
            if (!found.isEmpty()) {
                return found;
            }
        }
        return Set.of();
    }

    /** Derives the command that prints the host name from the command that prints the time; null if not possible. */
    static Source.@Nullable Command unameCommand(Source.@Nullable Command clock) {
        if (clock == null) {
            return null;
        }
        List<String> words = clock.arguments();
        int last = words.size() - 1;
        if (last > 0 && words.subList(last - 1, last + 1).equals(DATE)) {
            return new Source.Command(joined(words.subList(0, last - 1), UNAME), clock.variables());
        }
        return List.of(words.get(last).strip().split("\\s+")).equals(DATE)
                ? new Source.Command(
                        joined(words.subList(0, last), List.of(String.join(" ", UNAME))), clock.variables())
                : null;
    }

    /** The host name; empty if the answer is not a single word. */
    private static String name(Source.@Nullable Command command) {
        String name = command == null ? "" : printed(command, NAME_BYTES).strip();
        return name.chars().anyMatch(Character::isWhitespace) ? "" : name;
    }

    private static String printed(Source.Command command, int atMostBytes) {
        try {
            byte[] answer = Transport.fetch(command, null, Transport.TIMEOUT_S, atMostBytes);
            return new String(answer, StandardCharsets.UTF_8);
        } catch (SourceException error) {
            return "";
        }
    }

    private static List<String> joined(List<String> first, List<String> then) {
        List<String> all = new ArrayList<>(first);
        all.addAll(then);
        return all;
    }
}
