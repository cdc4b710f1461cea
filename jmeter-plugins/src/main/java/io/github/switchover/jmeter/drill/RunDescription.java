package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.TargetFacts;
import io.github.switchover.jmeter.target.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run writes down about itself before it starts: the target without its secrets, settings, versions. */
final class RunDescription {

    /** Who made the load, where none was recorded. */
    static final String NO_LOAD = "none";

    /** Where the classes are in no jar, which would say its version. */
    private static final String UNPACKAGED = "0.1.0";

    private static final double MS = 1000;

    private RunDescription() {}

    static Run run(String id, DrillSettings settings, Probing probing) {
        return Run.builder(id, settings.name())
                .versions(versions())
                .command(settings.command())
                .target(TargetFacts.of(settings.target()))
                .settings(settings(settings, probing))
                .seed(settings.seed())
                .fault(Trigger.noFault(null))
                .build();
    }

    private static Map<String, Object> settings(DrillSettings settings, Probing probing) {
        Endpoint endpoint = settings.target().endpoint();
        DrillSettings.FaultPlan fault = settings.faultPlan();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("budgets", settings.budgets());
        facts.putAll(probing.facts());
        facts.put("armed", settings.target().faults().isEmpty() ? null : (Object) settings.mayFire());
        facts.put("fault_planned", fault == null ? null : fault.fault());
        facts.put("fault_at_s", fault == null ? null : fault.atS());
        facts.put("heal_at_s", fault == null ? null : fault.healAtS());
        facts.put("generator", NO_LOAD);
        facts.put("algorithm", endpoint.algorithm());
        facts.put("weights", endpoint.weights().isEmpty() ? null : endpoint.weights());
        facts.put("scrape_interval_ms", settings.scrapeS() * MS);
        Map<String, Object> keepalived = KeepalivedFacts.of(settings.target());
        facts.put("keepalived", keepalived.isEmpty() ? null : keepalived);
        facts.putAll(settings.facts());
        return facts;
    }

    private static Map<String, Object> versions() {
        String version = RunDescription.class.getPackage().getImplementationVersion();
        Map<String, Object> versions = new LinkedHashMap<>();
        versions.put("switchover", version == null ? UNPACKAGED : version);
        versions.put("java", System.getProperty("java.version"));
        versions.put("kernel", System.getProperty("os.version"));
        return versions;
    }
}
