package io.github.switchover.jmeter.drill;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Version;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.util.Map;

/** What a run writes down about itself before it starts: the target without its secrets, settings, versions. */
final class RunDescription {

    /** Who made the load, where none was recorded. */
    static final String NO_LOAD = "none";

    private RunDescription() {}

    static Run run(String id, DrillSettings settings, Probing probing) {
        Tree versions = Tree.of(
                "switchover", Version.current(),
                "java", System.getProperty("java.version"),
                "kernel", System.getProperty("os.version"));
        return Run.named(id, settings.origin().name())
                .with("versions", versions)
                .with("command", settings.origin().command())
                .with("seed", settings.origin().seed())
                .with("target", target(settings.target()))
                .with("settings", settings(settings, probing))
                .with(FaultRun.none(""));
    }

    /** {@code file}: where {@code switchover heal} finds the heal. */
    private static Tree target(Target target) {
        return Tree.of(
                "url", PublicText.url(target.endpoint().url()),
                "expect", target.endpoint().expect().toString(),
                "dedicated", target.endpoint().dedicated(),
                "aliases", ServerNames.of(target),
                "nodes", target.nodes().stream().map(RunDescription::node).toList(),
                "lab", target.lab() != null,
                "file",
                        target.source() == null
                                ? null
                                : target.source().toAbsolutePath().toString());
    }

    /** Which sources the target file names for a node. */
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
                node.sources().accessLog() != null);
    }

    private static Tree settings(DrillSettings settings, Probing probing) {
        Endpoint endpoint = settings.target().endpoint();
        DrillSettings.FaultPlan fault = settings.faultPlan();
        Map<String, JsonElement> keepalived = KeepalivedFacts.of(settings.target());
        Map<String, Double> weights = endpoint.spreading().weights();
        return probing.facts()
                .with("limits", settings.limits())
                .with("armed", settings.target().faults().isEmpty() ? null : (Boolean) settings.mayFire())
                .with("fault_planned", fault == null ? null : fault.fault())
                .with("fault_at_s", fault == null ? null : (Double) fault.atS())
                .with("heal_at_s", fault == null ? null : fault.healAtS())
                .with("algorithm", endpoint.spreading().algorithm())
                .with("weights", weights.isEmpty() ? null : weights)
                .with("generator", NO_LOAD)
                .with("keepalived", keepalived.isEmpty() ? null : keepalived)
                .with("load", null);
    }
}
