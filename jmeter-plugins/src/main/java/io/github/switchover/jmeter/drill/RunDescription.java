package io.github.switchover.jmeter.drill;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.WholeFile;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Collects the facts that a run records before it starts: the target without secrets, settings, and versions. */
final class RunDescription {

    static final String NO_LOAD = "none";

    static Run run(String id, DrillSettings settings, Probing probing) {
        Tree versions = Tree.of(
                "switchover", RunDirectory.version(),
                "java", System.getProperty("java.version"),
                "kernel", System.getProperty("os.version"));
        return Run.named(id, settings.origin().name())
                .with("versions", versions)
                .with("command", settings.origin().command())
                .with("target", target(settings.target()))
                .with("settings", settings(settings, probing))
                .with(FaultRun.none(""));
    }

    /** {@code file}: the target file, in which {@code switchover heal} finds the heal command. */
    private static Tree target(Target target) {
        return Tree.of(
                "url", PublicText.url(target.endpoint().url()),
                "expect", target.endpoint().expect().toString(),
                "dedicated", target.endpoint().dedicated(),
                "aliases", target.identity().aliases(),
                "nodes", target.nodes().stream().map(RunDescription::node).toList(),
                "lab", target.lab() != null,
                "file",
                        target.source() == null
                                ? null
                                : target.source().toAbsolutePath().toString());
    }

    private static Tree node(Node node) {
        return Tree.of(
                "name",
                node.name(),
                "role",
                node.role().label(),
                "host",
                node.host(),
                "haproxy",
                node.sources().haproxy() != null,
                "nginx",
                node.sources().nginx() != null,
                "vip_owner",
                !node.sources().vipOwner().isEmpty(),
                "access_log",
                false);
    }

    private static Tree settings(DrillSettings settings, Probing probing) {
        Endpoint endpoint = settings.target().endpoint();
        DrillSettings.FaultPlan fault = settings.faultPlan();
        Map<String, JsonElement> keepalived = KeepalivedFacts.of(settings.target());
        Map<String, Double> weights = endpoint.spreading().weights();
        return probing.facts()
                .with("limits", settings.limits())
                .with("armed", settings.target().faults().isEmpty() ? null : settings.mayFire())
                .with("fault_planned", fault == null ? null : fault.fault())
                .with("fault_at_s", fault == null ? null : fault.atS())
                .with("heal_at_s", fault == null ? null : fault.healAtS())
                .with("algorithm", endpoint.spreading().algorithm())
                .with("weights", weights.isEmpty() ? null : weights)
                .with("generator", NO_LOAD)
                .with("keepalived", keepalived.isEmpty() ? null : keepalived)
                .with("load", null);
    }

    /** The Keepalived settings of the nodes, from which {@code switchover report} predicts the cost of a fault. */
    static final class KeepalivedFacts {

        /** Passwords, which must not leave the node, because a run directory may become a public build artefact. */
        private static final Pattern PASSWORD = Pattern.compile(
                "(?dm)((?:^|[ \\t{}])(?:auth_pass|auth_key|smtp_password|password|notify_password)[ \\t]+)"
                        + "(?:\"(?:\\\\.|[^\"\\\\\\n])*+\"|\\$\\{[^{}\\n]*+}|[^{}\\n])*?(?=[ \\t]*(?:[{}\\n]|\\z))");

        private static final Pattern USED_NAME = Pattern.compile("\\$\\{?([A-Za-z0-9_]+)");

        /** Returns, by node, the settings, or the name of the configuration's copy in the run directory. */
        static Map<String, JsonElement> of(Target target) {
            Map<String, JsonElement> facts = new LinkedHashMap<>();
            for (Node node : target.nodes()) {
                if (node.keepalived() != null) {
                    facts.put(node.name(), node.keepalived().json());
                } else if (node.keepalivedCopy() != null) {
                    facts.put(node.name(), new JsonPrimitive(nameOf(node)));
                }
            }
            return facts;
        }

        /** Copies the configurations that the target file names. Without a configuration there is no prediction. */
        static void copy(Target target, Path directory, RunRecord record) {
            for (Node node : target.nodes()) {
                if (node.keepalived() == null && node.keepalivedCopy() != null) {
                    try {
                        String conf = WholeFile.read(node.keepalivedCopy());
                        WholeFile.write(directory.resolve(nameOf(node)), withoutPasswords(conf));
                    } catch (IOException | RunDirectoryException error) {
                        record.warn(node.name() + ": the outage cannot be predicted: " + error.getMessage());
                    }
                }
            }
        }

        static String withoutPasswords(String conf) {
            Deque<String> names = new ArrayDeque<>();
            PASSWORD.matcher(conf).results().forEach(password -> addUsed(names, password.group()));
            String shown = PASSWORD.matcher(conf).replaceAll("$1***");
            Set<String> hidden = new HashSet<>();
            while (!names.isEmpty()) {
                String name = names.remove();
                if (hidden.add(name)) {
                    Pattern defined = Pattern.compile("(?dm)^([ \\t]*\\$" + name + "[ \\t]*=).*$");
                    defined.matcher(shown).results().forEach(value -> addUsed(names, value.group()));
                    shown = defined.matcher(shown).replaceAll("$1***");
                }
            }
            return shown;
        }

        private static void addUsed(Deque<String> names, String text) {
            USED_NAME.matcher(text).results().forEach(used -> names.add(used.group(1)));
        }

        private static String nameOf(Node node) {
            return "keepalived-" + node.name() + ".conf";
        }
    }
}
