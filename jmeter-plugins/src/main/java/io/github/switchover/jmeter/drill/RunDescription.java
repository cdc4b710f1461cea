package io.github.switchover.jmeter.drill;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.RunSettings.Balancing;
import io.github.switchover.jmeter.run.RunSettings.FaultSettings;
import io.github.switchover.jmeter.run.TargetFacts;
import io.github.switchover.jmeter.run.Version;
import io.github.switchover.jmeter.target.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run writes down about itself before it starts: the target without its secrets, settings, versions. */
final class RunDescription {

    /** Who made the load, where none was recorded. */
    static final String NO_LOAD = "none";

    private RunDescription() {}

    static Run run(String id, DrillSettings settings, Probing probing) {
        DrillSettings.RunOrigin origin = settings.origin();
        return Run.begun(
                        new Run.RunStart(id, origin.name(), Run.SCHEMA, versions(), origin.command(), origin.seed()),
                        TargetFacts.of(settings.target(), ServerNames.of(settings.target()))
                                .from(settings.target().source()),
                        settings(settings, probing))
                .with(FaultRun.none(null));
    }

    private static RunSettings settings(DrillSettings settings, Probing probing) {
        Endpoint endpoint = settings.target().endpoint();
        DrillSettings.FaultPlan fault = settings.faultPlan();
        Map<String, JsonElement> keepalived = KeepalivedFacts.of(settings.target());
        return new RunSettings(
                settings.limits(),
                probing.facts(),
                new FaultSettings(
                        settings.target().faults().isEmpty() ? null : (Boolean) settings.mayFire(),
                        fault == null ? null : fault.fault(),
                        fault == null ? null : (Double) fault.atS(),
                        fault == null ? null : fault.healAtS(),
                        null),
                new Balancing(
                        endpoint.spreading().algorithm(),
                        endpoint.spreading().weights().isEmpty()
                                ? null
                                : endpoint.spreading().weights()),
                NO_LOAD,
                keepalived.isEmpty() ? null : keepalived,
                null);
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("switchover", Version.current());
        versions.put("java", System.getProperty("java.version"));
        versions.put("kernel", System.getProperty("os.version"));
        return versions;
    }
}
