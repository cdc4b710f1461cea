package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Failures;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Who is the master now, and how that is known.
 *
 * <p>Asked in this order: the balancer's header on an answer, the neighbour entry of the address, an ownership source,
 * the node whose frontend counters advance while requests are sent. Where an ownership source contradicts, or two nodes
 * hold the address, no master is named: a fault must not be fired at a guess.
 */
public final class MasterFinder {

    private static final String USER_AGENT = "switchover";

    private final Target target;
    private final double timeoutS;
    private final Neighbours neighbours;

    public MasterFinder(Target target) {
        this(target, Transport.TIMEOUT_S, Neighbours.OF_THIS_MACHINE);
    }

    MasterFinder(Target target, double timeoutS, Neighbours neighbours) {
        this.target = target;
        this.timeoutS = timeoutS;
        this.neighbours = neighbours;
    }

    /**
     * The balancer that answers for the target's address now. Sends it a request or a few; never throws.
     *
     * @param owners what running sources know; null: those that can be are asked once
     */
    public Master find(Map<String, Boolean> owners) {
        if (target.balancers().isEmpty()) {
            return new Master(null, "", "the target file has no node with role = \"balancer\"");
        }
        List<String> holders = holders(owners == null ? holding() : owners);
        String address = target.endpoint().host();
        if (holders.size() > 1) {
            String both = String.join(" and ", holders);
            return new Master(null, "source", both + " hold " + address + " at the same time");
        }
        List<String> reasons = new ArrayList<>();
        // One after the other: a look for neighbours opens connections, and waits for those that are none.
        for (Supplier<Master> asked : List.<Supplier<Master>>of(this::byHeader, this::byNeighbour)) {
            Master found = asked.get();
            if (found.name() != null) {
                return uncontradicted(found, holders);
            }
            reasons.add(found.reason());
        }
        if (!holders.isEmpty()) {
            return new Master(holders.get(0), "source", holders.get(0) + " holds " + address);
        }
        CounterWatch counters = new CounterWatch(target.balancers(), timeoutS);
        Master counted = counters.find(this::answer);
        reasons.add(counted.reason());
        return counted.name() == null ? new Master(null, "", String.join("; ", reasons)) : counted;
    }

    /** Who has the address, as the sources say. */
    public static List<String> holders(Map<String, Boolean> owners) {
        return owners.entrySet().stream()
                .filter(entry -> Objects.equals(entry.getValue(), true))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static Master uncontradicted(Master found, List<String> holders) {
        if (holders.isEmpty() || holders.equals(List.of(found.name()))) {
            return found;
        }
        return new Master(
                null,
                found.source(),
                "the " + found.source() + " says " + found.name() + ", but the ownership source says "
                        + holders.get(0));
    }

    private Master byHeader() {
        Attempt attempt = answer();
        if (!isAnswer(attempt)) {
            String why = attempt.message().isEmpty() ? String.valueOf(attempt.error()) : attempt.message();
            return unknown("header", PublicText.url(target.endpoint().url()) + " gave no answer: " + why);
        }
        String header = target.identity().balancerHeader();
        String said = attempt.head().identity().balancer();
        if (target.balancers().stream().anyMatch(node -> node.name().equals(said))) {
            return new Master(said, "header", header + ": " + said);
        }
        return unknown(
                "header",
                said.isEmpty()
                        ? "no header " + header
                        : "the header " + header + " names " + ReadableText.quoted(said)
                                + ", which is no balancer here");
    }

    static boolean isAnswer(Attempt attempt) {
        return attempt.error() == null || attempt.error() == FailureKind.STATUS;
    }

    /** The target's answer to one GET; a name that does not resolve is a failure too. */
    private Attempt answer() {
        Deadline deadline = new Deadline(timeoutS);
        try (ProbeClient client = new ProbeClient(new IdentityReader(target.identity()), null)) {
            Destination destination = Destination.of(target.endpoint(), deadline.check());
            return client.send(Request.get(target.endpoint(), destination, Timeouts.ofTotal(timeoutS), USER_AGENT));
        } catch (IOException error) {
            return Attempt.notMade(FailureKind.DNS, Failures.messageOf(error));
        } catch (SwitchoverException error) {
            return Attempt.notMade(FailureKind.GENERATOR, error.getMessage());
        }
    }

    private Master byNeighbour() {
        Deadline deadline = new Deadline(timeoutS);
        try {
            InetAddress address =
                    Resolver.resolve(target.endpoint().host(), deadline.check()).get(0);
            Map<String, InetAddress> hosts = new LinkedHashMap<>();
            for (Node node : target.balancers()) {
                if (node.host() != null && !node.host().isEmpty()) {
                    hosts.put(
                            node.name(),
                            Resolver.resolve(node.host(), deadline.check()).get(0));
                }
            }
            if (hosts.isEmpty()) {
                return unknown("neighbour", "no balancer's own address (host) is in the target file");
            }
            if (hosts.containsValue(address)) {
                return unknown("neighbour", address.getHostAddress() + " is a node's own address, no virtual one");
            }
            Neighbours.FoundNode found =
                    neighbours.nodeAt(address, hosts, target.endpoint().port(), deadline);
            return new Master(found.name(), "neighbour", found.reason());
        } catch (IOException error) {
            return unknown("neighbour", "no neighbour entry: " + Failures.messageOf(error));
        }
    }

    private Map<String, Boolean> holding() {
        Map<String, Boolean> holding = new LinkedHashMap<>();
        if (target.balancers().stream()
                .allMatch(node -> node.sources().vipOwner().isEmpty())) {
            return holding;
        }
        try {
            Set<InetAddress> addresses =
                    Set.copyOf(Resolver.resolve(target.endpoint().host(), new Deadline(timeoutS).check()));
            for (Node node : target.balancers()) {
                holding.put(node.name(), AddressSource.holdsAddress(node, addresses, timeoutS, null));
            }
            return holding;
        } catch (IOException error) {
            return Map.of();
        }
    }

    private static Master unknown(String source, String reason) {
        return new Master(null, source, reason);
    }
}
