package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.faults.FaultException;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.judge.Limit;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What can be known before a run, and would make its verdict worthless. */
final class KnownProblems {

    /** HAProxy's words for {@code balance} (configuration manual, section 4.2), and Nginx's for the same. */
    private static final Pattern ALGORITHM = Pattern.compile(
            "(roundrobin|round_robin|static-rr|leastconn|least_conn|first|source|ip_hash|uri|url_param|hdr"
                    + "|hash|random|rdp-cookie|log-hash|log-sticky)([( ].*)?");

    private KnownProblems() {}

    /** @throws UsageException for the first one */
    static void refuse(Target target, List<String> limits) {
        List<String> found = find(target, limits);
        if (!found.isEmpty()) {
            throw new UsageException(found.get(0));
        }
    }

    /** Each in one line that says what to do; empty where nothing is wrong. */
    static List<String> find(Target target, List<String> limits) {
        List<String> found = new ArrayList<>();
        String algorithm = target.endpoint().spreading().algorithm();
        if (algorithm != null && !ALGORITHM.matcher(algorithm).matches()) {
            found.add("[target] algorithm = " + ReadableText.quoted(algorithm)
                    + " is no algorithm of HAProxy's: roundrobin, leastconn, source, …");
        }
        for (FaultRecipe recipe : target.faults().values()) {
            try {
                Staging.refuseUnknownNames(recipe);
            } catch (FaultException error) {
                found.add(error.getMessage());
            }
        }
        for (String text : limits) {
            Limit limit = Limit.parse(text);
            String problem = switch (limit.name()) {
                case SPLIT_BRAIN -> unconfirmed(target);
                case UNACCOUNTED -> shared(target);
                default -> null;
            };
            if (problem != null) {
                found.add("limit " + limit + ": " + problem);
            }
        }
        return found;
    }

    /** Null where every balancer has a source of who holds the address. */
    private static String unconfirmed(Target target) {
        List<String> nodes = target.balancers().stream()
                .filter(node -> node.sources().vipOwner().isEmpty())
                .map(Node::name)
                .toList();
        if (nodes.isEmpty() && !target.balancers().isEmpty()) {
            return null;
        }
        String subject = nodes.isEmpty() ? "the target's balancers" : String.join(" and ", nodes);
        return subject + " have no ownership source: add vip_owner to each [[node]]";
    }

    /** Null where all traffic that the nodes see is ours. */
    private static String shared(Target target) {
        return target.endpoint().dedicated()
                ? null
                : "others may use this target, so requests stay unaccounted: set dedicated = true in [target] if no one"
                        + " else does, or leave the limit out";
    }
}
