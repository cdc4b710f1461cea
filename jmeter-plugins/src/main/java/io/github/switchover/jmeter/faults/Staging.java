package io.github.switchover.jmeter.faults;

import static java.util.Objects.requireNonNullElse;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.MasterFinder;
import io.github.switchover.jmeter.telemetry.MasterFinder.Master;
import io.github.switchover.jmeter.telemetry.Transport;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Prepares a fault. {@code finder} finds the master, from the ownership that running sources report, or null. */
public record Staging(Target target, Function<Map<String, Boolean>, Master> finder) {

    /** A placeholder that looks like a misspelt {@code {master}} or {@code {backup}}. */
    private static final Pattern NAME = Pattern.compile("\\{(?!(?:master|backup)})(?i:ma\\w*r|ba\\w*p)\\w*}");

    public Staging(Target target) {
        this(target, new MasterFinder(target, Transport.TIMEOUT_S)::find);
    }

    /**
     * Stages a fault; refuses it before anything is started, by FaultException.
     *
     * @param arming whether the user has armed the fault; a lab needs no arming
     * @param owners the ownership that running sources report; null: the run has not started, and each source is
     *     queried once
     */
    public StagedFault stage(String name, Arming arming, @Nullable Map<String, Boolean> owners) {
        FaultRecipe recipe = target.faults().get(name);
        if (recipe == null) {
            throw new FaultException(
                    target.source() == null
                            ? name + " does not fire: a target file must define the commands of this fault"
                            : target.source() + " has no [fault." + name + "]; it has: " + known());
        }
        if (arming != Arming.CONFIRMED && target.lab() == null) {
            throw new FaultException(name + " is not armed: it would act on "
                    + PublicText.url(target.endpoint().url()) + " for real; " + arming.advice());
        }
        FaultTraits traits = FaultTraits.of(name);
        if (target.lab() == null) {
            Deadman.require(recipe, traits);
        }
        refuseMisspeltNames(recipe);
        Master master = owners == null ? finder.apply(null) : masterDuring(owners);
        if (master.name() == null && needsNames(recipe)) {
            throw new FaultException(name + " does not fire: the master is ambiguous (" + master.reason() + ")");
        }
        String backup = backup(master);
        if (backup == null && recipe.mentions("{backup}")) {
            throw new FaultException(name + " needs one backup, but the target's balancers are not a pair");
        }
        String victim = traits.hitsBackend() ? backendHit(traits, recipe) : master.name();
        FaultRun description = FaultRun.of(
                name, traits.kind(), new FaultRun.FaultNodes(master.name(), backup, victim, master.source()));
        return new StagedFault(
                recipe,
                Map.of(
                        "master", requireNonNullElse(master.name(), ""),
                        "backup", requireNonNullElse(backup, "")),
                description);
    }

    /** The backend that the fault hits: on a real target the backend in the kill command, in the lab by the traits. */
    private @Nullable String backendHit(FaultTraits traits, FaultRecipe recipe) {
        if (target.lab() != null) {
            return traits.victim();
        }
        String kill = String.join(" ", recipe.command(FaultRecipe.Step.KILL));
        List<String> named = target.nodes().stream()
                .filter(node -> node.role() == Node.Role.BACKEND)
                .filter(node -> isNamed(node.name(), kill) || isNamed(node.host(), kill))
                .map(Node::name)
                .toList();
        return named.size() == 1 ? named.get(0) : traits.victim();
    }

    /** True if a name or an address is in a command as a whole word, perhaps with a port or before a path. */
    private static boolean isNamed(@Nullable String name, String command) {
        if (name == null || name.isEmpty()) {
            return false;
        }
        String after = name.indexOf(':') < 0 ? "(?![\\w.-])(?!:\\w*:)" : "(?![\\w.:-])";
        return Pattern.compile("(?<![\\w.:-])" + Pattern.quote(name) + after)
                .matcher(command)
                .find();
    }

    /**
     * Throws FaultException if the planned master is no longer the master.
     *
     * <p>A dedicated target without ownership sources is not checked: the answers in the baseline name its balancer.
     */
    public void refuseAnotherMaster(StagedFault staged, Map<String, Boolean> owners) {
        String meant = staged.description().master();
        boolean hitsMaster = staged.description().kind().equals(FaultRun.MASTER) || needsNames(staged.recipe());
        if (meant == null || !hitsMaster) {
            return;
        }
        if (target.endpoint().dedicated() && MasterFinder.holders(owners).isEmpty()) {
            return;
        }
        Master found = masterDuring(owners);
        if (!meant.equals(found.name())) {
            String now = found.name() == null ? "no master is known now" : found.name() + " is the master now";
            throw new FaultException(staged.recipe().name() + " does not fire: " + meant
                    + " was the master at the preflight, but " + now + " (" + found.reason() + ")");
        }
    }

    /** The master while the load runs. A dedicated target gets no request, because it would change the counts. */
    private Master masterDuring(Map<String, Boolean> owners) {
        List<String> holders = MasterFinder.holders(owners);
        if (holders.size() == 1) {
            return new Master(holders.get(0), "source", "it holds the address");
        }
        if (holders.isEmpty() && target.endpoint().dedicated()) {
            return new Master(
                    null,
                    "",
                    "it has no ownership source, and a request to find the master would change its exact counts");
        }
        return finder.apply(owners);
    }

    private @Nullable String backup(Master master) {
        List<String> others = target.balancers().stream()
                .map(Node::name)
                .filter(name -> !name.equals(master.name()))
                .toList();
        return target.balancers().size() == 2 && others.size() == 1 ? others.get(0) : null;
    }

    private String known() {
        Set<String> names = new TreeSet<>(target.faults().keySet());
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    /** Refuses a misspelt placeholder, which would reach the command unchanged. */
    static void refuseMisspeltNames(FaultRecipe recipe) {
        String commands = recipe.commands().values().toString();
        Matcher misspelt = NAME.matcher(commands);
        if (misspelt.find()) {
            throw new FaultException(recipe.table() + " has " + misspelt.group()
                    + " in a command: only {master} and {backup} are replaced");
        }
    }

    private static boolean needsNames(FaultRecipe recipe) {
        return recipe.mentions("{master}") || recipe.mentions("{backup}");
    }

    /** A fault that is ready to be armed: its recipe, the names of the nodes, and the fault for run.json. */
    public record StagedFault(FaultRecipe recipe, Map<String, String> names, FaultRun description) {}

    /** The user's confirmation that a fault may hit a real target. */
    public enum Arming {
        /** Confirmed by the option on the command line, or by Yes in JMeter's window. */
        CONFIRMED(""),

        UNCONFIRMED("add " + Arming.OPTION + " to confirm it"),

        /** The property is true, but it was not typed on the command line of this process. */
        SAVED("a true in a file or set by a plan arms nothing: add " + Arming.OPTION
                + " to the command line to confirm it"),

        /** The user was asked in JMeter's window, and did not answer Yes. */
        DECLINED("the question at the start of the test was not answered with Yes");

        /** The option that arms faults. */
        public static final String OPTION = "-Jswitchover.armed=true";

        private final String advice;

        Arming(String advice) {
            this.advice = advice;
        }

        /** The reason why the fault is not armed, and the remedy. */
        String advice() {
            return advice;
        }
    }
}
