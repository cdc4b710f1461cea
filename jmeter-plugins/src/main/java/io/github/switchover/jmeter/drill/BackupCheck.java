package io.github.switchover.jmeter.drill;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.faults.Preflight.Allowance;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.faults.Staging.StagedFault;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.BalancerKind;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Proves before a kill that another node can take over; {@code states}: Keepalived's, by node and VRRP instance. */
record BackupCheck(Target target, StagedFault staged, Map<String, Map<String, String>> states) {

    private static final String ALLOW_NO_BACKUP = Allowance.ALLOW_NO_BACKUP.option();

    /** The result of the check of one node: whether it could take over now. */
    private record Fitness(String node, boolean isFit, String reason) {}

    /** Checks the backup of a run. The ownership sources must also work, because they report the master. */
    static String require(StagedFault staged, Staging staging, DrillSettings settings, Telemetry telemetry) {
        staging.refuseAnotherMaster(staged, telemetry.collector().owners());
        telemetry.requireLivingSources(staged.recipe().name());
        return new BackupCheck(settings.target(), staged, telemetry.collector().vrrpStates())
                .require(settings.firing().allowed().contains(Allowance.ALLOW_NO_BACKUP));
    }

    /** Returns the evidence that the service survives, in one line. Throws FaultException without a proven backup. */
    String require(boolean allowLastOne) {
        String name = staged.recipe().name();
        if (allowLastOne) {
            return name + ": no backup is required, because of " + ALLOW_NO_BACKUP;
        }
        if (staged.description().kind().equals(FaultRun.BACKEND)) {
            return requireAnotherBackend();
        }
        String master = staged.description().master();
        List<Node> others = target.balancers().stream()
                .filter(node -> !node.name().equals(master))
                .toList();
        int needed = master == null ? 2 : 1;
        if (others.size() < needed) {
            throw new FaultException(name + " does not fire: the target file has no other balancer, so nothing would"
                    + " take over; add " + ALLOW_NO_BACKUP + " to fire the fault anyway");
        }
        List<Fitness> found = others.stream().map(this::look).toList();
        List<Fitness> fit = found.stream().filter(Fitness::isFit).toList();
        if (fit.size() < needed) {
            throw new FaultException(name + " does not fire: no backup is proven healthy ("
                    + found.stream()
                            .filter(fitness -> !fitness.isFit)
                            .map(fitness -> fitness.node + ": " + fitness.reason)
                            .collect(Collectors.joining("; "))
                    + ")");
        }
        return fit.stream()
                .map(fitness -> fitness.node + " can take over: " + fitness.reason)
                .collect(Collectors.joining("; "));
    }

    /** Checks a node by its telemetry, its VRRP state, and {@code ready}, which cannot make an unfit node fit. */
    private Fitness look(Node node) {
        FaultRecipe recipe = staged.recipe();
        List<String> reasons = new ArrayList<>();
        boolean isBackup;
        try {
            String answer = balancerAnswer(node);
            if (answer != null) {
                reasons.add(answer);
            }
            isBackup = requireBackupState(node);
        } catch (SourceException error) {
            return new Fitness(node.name(), false, error.getMessage());
        }
        boolean isAnswering = !reasons.isEmpty();
        if (isBackup) {
            reasons.add("Keepalived is in BACKUP");
        }
        if (recipe.has(Step.READY)) {
            CommandResult result = runReady(node.name());
            if (!result.isOk()) {
                return new Fitness(node.name(), false, result.of(recipe, Step.READY));
            }
            reasons.add("the command `ready` succeeds");
        } else if (!isBackup || !isAnswering) {
            String lacks = isBackup ? "the balancer has no telemetry" : "Keepalived has reported no state";
            String advice = "add ready = [\"ssh\", \"{backup}\", …] to " + recipe.table();
            return new Fitness(node.name(), false, lacks + "; " + advice);
        }
        return new Fitness(node.name(), true, String.join(", ", reasons));
    }

    /** Returns evidence that the node is fit. Throws SourceException if its telemetry shows that it is not. */
    private @Nullable String balancerAnswer(Node node) {
        BalancerKind kind = BalancerKind.of(node);
        if (kind == null) {
            return null;
        }
        String title = kind.traits().title();
        BalancerState state = kind.look(requireNonNull(kind.source(node)));
        if (!kind.traits().tellsServers()) {
            return title + " answers";
        }
        Set<String> up = state.serversUp();
        if (!state.servers().isEmpty() && up.isEmpty()) {
            throw new SourceException(title + " has no server that is up");
        }
        BalancerState master = lookAtMaster();
        Set<String> missing = new TreeSet<>(master == null ? Set.of() : master.serversUp());
        missing.removeAll(up);
        if (!missing.isEmpty()) {
            throw new SourceException(
                    title + " does not report " + String.join(", ", missing) + " as up, but the master does");
        }
        Set<String> closed = closedFrontends(state, master);
        if (!closed.isEmpty()) {
            String which = closed.size() == 1 ? "which is" : "which are";
            throw new SourceException(
                    title + " accepts no connections at " + String.join(", ", closed) + ", " + which + " disabled");
        }
        return title + " answers" + (state.servers().isEmpty() ? "" : ", " + up.size() + " servers up");
    }

    /** Returns the closed frontends that are open on the master; if no frontend is open, all closed frontends. */
    private static Set<String> closedFrontends(BalancerState state, @Nullable BalancerState master) {
        Set<String> open = state.frontendsOpen();
        Set<String> closed = new TreeSet<>(state.frontends().keySet());
        closed.removeAll(open);
        Set<String> needed = new TreeSet<>(closed);
        needed.retainAll(master == null ? Set.of() : master.frontendsOpen());
        return needed.isEmpty() && open.isEmpty() ? closed : needed;
    }

    /** The state of the master, which the probes of the baseline already proved to serve. */
    private @Nullable BalancerState lookAtMaster() {
        String name = staged.description().master();
        Node master = name == null ? null : target.node(name);
        BalancerKind kind = master == null ? null : BalancerKind.of(master);
        if (master == null || kind == null) {
            return null;
        }
        try {
            return kind.look(requireNonNull(kind.source(master)));
        } catch (SourceException error) {
            return null;
        }
    }

    /**
     * True if the VRRP instance of the node, or else all its instances, are in BACKUP; false: unknown.
     *
     * @throws SourceException if its instance, or the only instance, is in another state
     */
    private boolean requireBackupState(Node node) {
        Map<String, String> reported = states.getOrDefault(node.name(), Map.of());
        String instance = node.keepalived() == null ? null : node.keepalived().text("instance");
        String state = instance == null ? null : reported.get(instance);
        Set<String> alike = Set.copyOf(reported.values());
        if (state == null && (reported.size() == 1 || alike.equals(Set.of("BACKUP")))) {
            state = alike.iterator().next();
        }
        if (state != null && !state.isEmpty() && !state.equals("BACKUP")) {
            throw new SourceException("Keepalived is in " + state + ", not in BACKUP");
        }
        return "BACKUP".equals(state);
    }

    /** Requires that another backend is up, by the telemetry of a balancer or by the recipe's {@code ready} command. */
    private String requireAnotherBackend() {
        FaultRecipe recipe = staged.recipe();
        String victim = staged.description().victim();
        String master = staged.description().master();
        List<String> reasons = new ArrayList<>();
        for (Node node : target.balancers()) {
            BalancerKind kind = BalancerKind.of(node);
            boolean isAnother = master != null && !node.name().equals(master);
            if (kind == null || !kind.traits().tellsServers() || isAnother) {
                continue;
            }
            try {
                OtherServer other = OtherServer.in(kind.look(requireNonNull(kind.source(node))), victim);
                if (other.name() != null) {
                    return other.name() + " is up at " + node.name();
                }
                if (other.lacks() != null) {
                    reasons.add(node.name() + " " + other.lacks());
                }
            } catch (SourceException error) {
                reasons.add(error.getMessage());
            }
        }
        if (recipe.has(Step.READY) && reasons.isEmpty()) {
            CommandResult result = runReady("");
            if (result.isOk()) {
                return "the command `ready` succeeds";
            }
            reasons.add(result.of(recipe, Step.READY));
        }
        String why = reasons.isEmpty()
                ? "no balancer reports its servers, and the fault has no command `ready`"
                : String.join("; ", reasons);
        throw new FaultException(recipe.name() + " does not fire: no other backend is proven healthy (" + why
                + "); add " + ALLOW_NO_BACKUP + " to fire the fault anyway");
    }

    /** {@code backup}: the value of {@code {backup}} in the command; empty: the value of the staged fault. */
    private CommandResult runReady(String backup) {
        Map<String, String> names = new HashMap<>(staged.names());
        if (!backup.isEmpty()) {
            names.put("backup", backup);
        }
        FaultRecipe filled = staged.recipe().filledIn(names);
        return CommandRunner.of(filled, Step.READY).run();
    }

    /** A server other than the victim that gets requests, in each of its proxies; or the reason, if there is none. */
    record OtherServer(@Nullable String name, @Nullable String lacks) {

        /** Looks for a second server in each proxy of the victim. */
        static OtherServer in(BalancerState state, @Nullable String victim) {
            if (state.servers().isEmpty()) {
                return new OtherServer(null, null);
            }
            Set<String> up = state.serversUp();
            up.removeIf(server -> state.weights().getOrDefault(server, 1L) == 0);
            String found = null;
            List<String> proxies = state.servers().keySet().stream()
                    .filter(server -> server.equals(proxyOf(server) + "/" + victim))
                    .map(OtherServer::proxyOf)
                    .sorted()
                    .toList();
            List<String> alone = new ArrayList<>();
            for (String proxy : proxies) {
                String hit = proxy + "/" + victim;
                String other = up.stream()
                        .filter(server -> proxyOf(server).equals(proxy) && !server.equals(hit))
                        .findFirst()
                        .orElse(null);
                found = found == null ? other : found;
                if (other == null && state.serversUp().contains(hit)) {
                    alone.add(proxy);
                }
            }
            if (proxies.isEmpty()) {
                String advice = ": give its [[node]] the name that the server has in HAProxy";
                return new OtherServer(null, "has no server " + victim + advice);
            }
            if (found == null || !alone.isEmpty()) {
                String where = alone.isEmpty() ? "" : " in " + String.join(", ", alone);
                return new OtherServer(null, "has no other server that is up" + where);
            }
            return new OtherServer(found, null);
        }

        private static String proxyOf(String server) {
            return server.substring(0, server.lastIndexOf('/'));
        }
    }
}
