package io.github.switchover.jmeter.faults;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.run.WholeFile;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.UrlParts;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot;
import io.github.switchover.jmeter.telemetry.NodeAnswers;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a fault if its target file and its nodes contradict each other; a lab is not checked.
 *
 * <p>A check without evidence passes, except the last check. {@code contract/preflight.json} holds the rules for
 * Python, too.
 */
public final class Preflight {

    private static final String HAPROXY = "`node` of its HAProxy";
    private static final String UNAME = "its `uname -n`";
    private static final String ROUTER_ID = "router_id of its keepalived.conf";

    private static final long RESOLVE_NS = 2 * Units.NS_PER_S;
    private static final Pattern COMMENT = Pattern.compile("[#!].*");
    private static final Pattern VIRTUAL = Pattern.compile("\\bvirtual_ipaddress(?:_excluded)?\\s*\\{([^}]*)}");
    private static final Pattern ROUTER = Pattern.compile("(?<!\\S)router_id\\s+\"?([^\\s\"}]+)");
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");
    private static final String MASTER = "{master}";
    private static final String MACHINE = "machine:";

    /** The options of ssh with a value, which is attached to the option or is the next word. */
    private static final String SSH_VALUED = "BbcDEeFIiJLlmOoPpQRSWw";

    /** One balancer: facts from the target file, its names by source, and the keys that exclude other runs. */
    record AskedNode(
            String name,
            String host,
            Set<InetAddress> hostAddresses,
            Map<String, String> names,
            Set<InetAddress> addresses,
            @Nullable Set<InetAddress> virtualAddresses,
            List<String> keys) {}

    /** Queries the balancers before anything is started. Throws FaultException if a check fails. */
    public static void require(Target target, String name, Set<Allowance> allowed) {
        if (target.lab() != null) {
            return;
        }
        List<Node> balancers = target.balancers().isEmpty() ? target.nodes() : target.balancers();
        List<AskedNode> nodes = DaemonThread.mapAll("switchover preflight", balancers, Preflight::ask);
        List<String> problems = new ArrayList<>();
        if (!allowed.contains(Allowance.OTHER_ADDRESS)) {
            Set<InetAddress> url = Resolver.find(target.endpoint().host(), RESOLVE_NS);
            problems.add(otherAddress(url, nodes, Allowance.OTHER_ADDRESS.option()));
        }
        problems.add(otherName(nodes));
        problems.add(clones(nodes));
        target.faults().values().stream().map(recipe -> otherWay(recipe, nodes)).forEach(problems::add);
        if (!allowed.contains(Allowance.UNIDENTIFIED)) {
            problems.add(unidentified(nodes, Allowance.UNIDENTIFIED.option()));
        }
        problems.stream().filter(Objects::nonNull).findFirst().ifPresent(problem -> {
            throw new FaultException(name + " does not fire: " + problem);
        });
    }

    /** Returns an error if the URL does not lead to the virtual address, because it may lead to the backup. */
    static @Nullable String otherAddress(Set<InetAddress> url, List<AskedNode> nodes, String option) {
        String advice = "; set url in [target] to the virtual address, or add " + option;
        List<AskedNode> copies =
                nodes.stream().filter(node -> node.virtualAddresses != null).toList();
        Set<InetAddress> known = copies.stream()
                .flatMap(node -> requireNonNull(node.virtualAddresses).stream())
                .collect(Collectors.toSet());
        if (url.isEmpty() || !Collections.disjoint(known, url)) {
            return null;
        }
        String there = "url leads to " + listed(url);
        if (!copies.isEmpty()) {
            String which = copies.stream().map(AskedNode::name).collect(Collectors.joining(" and "));
            String has = known.isEmpty() ? "no virtual address" : listed(known);
            return there + ", but the keepalived.conf of " + which + " has " + has + advice;
        }
        List<AskedNode> own = nodes.stream()
                .filter(node -> !Collections.disjoint(node.hostAddresses, url))
                .toList();
        return nodes.size() > 1 && own.size() == 1
                ? there + ", an address of the node " + own.get(0).name + advice
                : null;
    }

    /** Returns an error if a node reports the name of another node. A name that two nodes report is ignored. */
    static @Nullable String otherName(List<AskedNode> nodes) {
        for (AskedNode node : nodes) {
            List<AskedNode> others =
                    nodes.stream().filter(one -> !one.name.equals(node.name)).toList();
            for (AskedNode other : others) {
                for (Map.Entry<String, String> reported : node.names.entrySet()) {
                    String name = reported.getValue();
                    boolean alone = others.stream()
                            .noneMatch(one -> label(one.names.getOrDefault(reported.getKey(), ""))
                                    .equals(label(name)));
                    if (alone && isCalled(other, name) && !isCalled(node, name)) {
                        return node.name + " reports the name " + name + " (" + reported.getKey() + "): are "
                                + node.name + " and " + other.name + " swapped?";
                    }
                }
                if (!Collections.disjoint(other.hostAddresses, node.addresses)
                        && !node.hostAddresses.isEmpty()
                        && Collections.disjoint(node.hostAddresses, node.addresses)) {
                    return node.name + " has the host address of " + other.name + ": are " + node.name + " and "
                            + other.name + " swapped?";
                }
            }
        }
        return null;
    }

    /** Returns an error if two nodes have the same machine id, so that the machine id identifies neither node. */
    static @Nullable String clones(List<AskedNode> nodes) {
        Map<String, String> names = new LinkedHashMap<>();
        for (AskedNode node : nodes) {
            for (String key : node.keys) {
                String other = key.startsWith(MACHINE) ? names.put(key, node.name) : null;
                if (other != null) {
                    return other + " and " + node.name + " have the same machine id " + key.substring(MACHINE.length())
                            + ": give each clone a new machine id: "
                            + "rm -f /etc/machine-id /var/lib/dbus/machine-id && systemd-machine-id-setup";
                }
            }
        }
        return null;
    }

    /** Returns an error if only its name identifies a node, because another target file may use another name. */
    static @Nullable String unidentified(List<AskedNode> nodes, String option) {
        List<String> unknown = nodes.stream()
                .filter(node -> node.keys.stream().allMatch(key -> key.startsWith("name:")))
                .map(AskedNode::name)
                .toList();
        if (!nodes.isEmpty() && unknown.isEmpty()) {
            return null;
        }
        String what = unknown.isEmpty() ? "the target" : String.join(" and ", unknown);
        return "nothing identifies " + what + ", so another run on the same nodes would not be detected: add host,"
                + " machine_id or HAProxy's socket to each [[node]], or " + option;
    }

    /** Returns an error if the ssh command of the kill reaches another host than the clock command of the same node. */
    private static @Nullable String otherWay(FaultRecipe recipe, List<AskedNode> nodes) {
        for (AskedNode node : nodes) {
            String uname = node.names.getOrDefault(UNAME, "");
            List<String> way = sshWay(requireNonNull(recipe.command(FaultRecipe.Step.KILL)), node.name);
            String reached = uname.isEmpty() ? "" : NodeAnswers.uname(way, recipe.variables());
            if (!reached.isEmpty() && !reached.equals(uname)) {
                return "the kill of " + recipe.table() + " reaches " + reached + " for " + node.name
                        + ", but the clock command of " + node.name + " reaches " + uname + ": are two nodes swapped?";
            }
        }
        return null;
    }

    /** Returns an ssh command up to its destination {@code {master}}; empty otherwise. The rest must not be run. */
    static List<String> sshWay(List<String> kill, String node) {
        int at = 1;
        while (at < kill.size() && kill.get(at).startsWith("-")) {
            String option = kill.get(at);
            int valued = 0;
            while (valued < option.length() && SSH_VALUED.indexOf(option.charAt(valued)) < 0) {
                valued++;
            }
            at += valued == option.length() - 1 ? 2 : 1;
        }
        String program = kill.get(0).substring(kill.get(0).lastIndexOf('/') + 1);
        if (!program.equals("ssh") || at >= kill.size() || !("@" + kill.get(at)).endsWith("@" + MASTER)) {
            return List.of();
        }
        return kill.subList(0, at + 1).stream()
                .map(word -> word.replace(MASTER, node))
                .toList();
    }

    /** The virtual addresses of all instances in a keepalived.conf. Addresses that contain a variable are missing. */
    static Set<InetAddress> virtualAddresses(String conf) {
        return VIRTUAL.matcher(COMMENT.matcher(conf).replaceAll(""))
                .results()
                .flatMap(block -> block.group(1).lines())
                .map(line -> UrlParts.parseAddress(line.strip().split("[\\s/]", 2)[0]))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    /** The {@code router_id} in a keepalived.conf; empty: there is none. */
    static String routerId(String conf) {
        Matcher found = ROUTER.matcher(COMMENT.matcher(conf).replaceAll(""));
        return found.find() ? found.group(1) : "";
    }

    private static AskedNode ask(Node node) {
        HaproxySnapshot snapshot = NodeAnswers.haproxy(node);
        String conf = conf(node);
        Map<String, String> names = new LinkedHashMap<>();
        names.put(HAPROXY, snapshot == null ? "" : snapshot.node());
        names.put(UNAME, NodeAnswers.uname(node));
        names.put(ROUTER_ID, conf == null ? "" : routerId(conf));
        names.values().removeIf(String::isEmpty);
        String host = node.host() == null ? "" : node.host();
        return new AskedNode(
                node.name(),
                host,
                Resolver.find(host, RESOLVE_NS),
                names,
                NodeAnswers.addresses(node),
                conf == null ? null : virtualAddresses(conf),
                NodeKeys.find(node, snapshot));
    }

    /** The node's copy of keepalived.conf. */
    private static @Nullable String conf(Node node) {
        if (node.keepalivedCopy() == null) {
            return null;
        }
        try {
            return WholeFile.read(node.keepalivedCopy());
        } catch (IOException | RunDirectoryException error) {
            throw new FaultException(node.keepalivedCopy() + " cannot be read: " + error.getMessage(), error);
        }
    }

    private static String listed(Set<InetAddress> addresses) {
        return addresses.stream().map(InetAddress::getHostAddress).sorted().collect(Collectors.joining(", "));
    }

    private static boolean isCalled(AskedNode node, String name) {
        return label(name).equals(label(node.name)) || label(name).equals(label(node.host));
    }

    /** The first label of a host name, in lower case. An address is unchanged. */
    private static String label(String name) {
        String lowered = name.strip().toLowerCase(Locale.ROOT);
        return ADDRESS.matcher(lowered).matches() ? lowered : lowered.replaceFirst("\\..*", "");
    }

    /** A check that the user can switch off with a property. */
    public enum Allowance {

        /** Do not require a node that can take over: the fault may hit the last balancer. */
        ALLOW_NO_BACKUP("switchover.allow.no.backup"),

        /** Do not require that the URL leads to the virtual address in the nodes' keepalived.conf. */
        OTHER_ADDRESS("switchover.allow.other.address"),

        /** Do not require that each node is identified. */
        UNIDENTIFIED("switchover.allow.unidentified");

        private final String property;

        Allowance(String property) {
            this.property = property;
        }

        public String property() {
            return property;
        }

        /** The option as the user types it on JMeter's command line. */
        public String option() {
            return "-J" + property + "=true";
        }
    }
}
