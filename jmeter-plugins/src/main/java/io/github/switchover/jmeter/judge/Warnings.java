package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Population;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What the run itself warned of, though the figures stand. */
final class Warnings {

    private Warnings() {}

    static List<String> of(RunData data, Population probes, Population samples) {
        Set<String> warnings = new LinkedHashSet<>(data.run().ending().warnings());
        data.run().ending().truncated().stream().map(CutPhase::text).forEach(warnings::add);
        long ignored = data.unread().total();
        if (ignored > 0) {
            warnings.add(ignored + " lines of the run directory could not be read");
        }
        if (probes != null && probes.whole().unsent() > 0) {
            warnings.add(probes.whole().unsent() + " probes could not be sent (client out of ports or files)");
        }
        warnings.addAll(unsent(samples));
        FaultRun fault = data.run().fault();
        Long firedUs = data.run().plan().firedFromUs();
        for (Point point : data.points()) {
            String node = point.tags().get("node");
            boolean isOfVictim = fault != null && node != null && node.equals(fault.victim());
            boolean isSinceFault = firedUs != null && point.timeUs() >= firedUs;
            // That the victim itself falls silent is the fault.
            if (point.isEvent(EventKind.WARNING) && !(isOfVictim && isSinceFault)) {
                warnings.add(point.text("text"));
            }
        }
        return List.copyOf(warnings);
    }

    /** When a test is stopped, the generator ends one request of each user at most: that is no news. */
    private static List<String> unsent(Population samples) {
        if (samples == null) {
            return List.of();
        }
        double users = samples.byPhase().values().stream()
                .map(counts -> counts.pace().users())
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        return samples.whole().unsent() <= Math.ceil(users)
                ? List.of()
                : List.of(samples.whole().unsent() + " requests were not sent, or were ended by the load generator");
    }
}
