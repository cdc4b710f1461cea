package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the master: by the balancer's header in a response, otherwise by an ownership source.
 *
 * <p>If header and source contradict, or two nodes hold the address, no master is returned: no fault may hit a guessed
 * node.
 */
public record MasterFinder(Target target, double timeoutS) {

    private static final String USER_AGENT = "switchover";

    /** Sends one request to the target; never throws. {@code owners} null: each ownership source is queried once. */
    public Master find(@Nullable Map<String, Boolean> owners) {
        if (target.balancers().isEmpty()) {
            return new Master(null, "", "the target file has no node with role = \"balancer\"");
        }
        List<String> holders = holders(owners == null ? holding() : owners);
        String address = target.endpoint().host();
        if (holders.size() > 1) {
            String both = String.join(" and ", holders);
            return new Master(null, "source", both + " hold " + address + " at the same time");
        }
        String holder = holders.isEmpty() ? null : holders.get(0);
        Master answered = byHeader();
        if (answered.name() != null) {
            return holder == null || holder.equals(answered.name())
                    ? answered
                    : new Master(
                            null,
                            "header",
                            "the header names " + answered.name() + ", but the ownership source names " + holder);
        }
        return holder == null
                ? new Master(null, "", answered.reason() + "; no vip_owner of the target file names a holder")
                : new Master(holder, "source", holder + " holds " + address);
    }

    public static List<String> holders(Map<String, Boolean> owners) {
        return owners.entrySet().stream()
                .filter(entry -> Objects.equals(entry.getValue(), true))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private Master byHeader() {
        Attempt attempt = answer();
        if (attempt.error() != null && attempt.error() != FailureKind.STATUS) {
            String why = attempt.message().isEmpty() ? String.valueOf(attempt.error()) : attempt.message();
            return new Master(null, "header", PublicText.url(target.endpoint().url()) + " gave no answer: " + why);
        }
        String header = target.identity().balancerHeader();
        String named = attempt.head().identity().balancer();
        if (target.balancers().stream().anyMatch(node -> node.name().equals(named))) {
            return new Master(named, "header", header + ": " + named);
        }
        return new Master(
                null,
                "header",
                named.isEmpty()
                        ? "no header " + header
                        : "the header " + header + " names " + ReadableText.quoted(named)
                                + ", which is not a balancer in the target file");
    }

    /** The result of one GET to the target. An unresolvable host name is a failed attempt. */
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

    private Map<String, Boolean> holding() {
        Map<String, Boolean> holding = new LinkedHashMap<>();

        try {
            Set<InetAddress> addresses =
                    Set.copyOf(Resolver.resolve(target.endpoint().host(), new Deadline(timeoutS).check()));
            for (Node node : target.balancers()) {
                holding.put(node.name(), AddressSource.holdsAddress(node, addresses, timeoutS));
            }
            return holding;
        } catch (IOException error) {
            return Map.of();
        }
    }

    /** The balancer that answers for the target's address, the source of its name, and the evidence or the reason. */
    public record Master(@Nullable String name, String source, String reason) {}
}
