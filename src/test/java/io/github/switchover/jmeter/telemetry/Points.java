package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.PointSink;
import io.github.switchover.jmeter.run.PointFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A journal that keeps its lines. */
final class Points implements PointSink {

    private final List<String> lines = new ArrayList<>();

    @Override
    public synchronized void write(
            String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {
        Map<String, String> all = new HashMap<>(tags);
        all.put("run", "r");
        lines.add(PointFormat.format(measurement, all, fields, timeNs));
    }

    synchronized List<String> all() {
        return List.copyOf(lines);
    }

    synchronized List<String> take() {
        List<String> taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    /** Until a line holds all of these words. */
    String await(String... words) throws InterruptedException {
        Until.reached(() -> find(words) != null, () -> String.join("\n", all()));
        return find(words);
    }

    private String find(String... words) {
        return all().stream()
                .filter(line -> List.of(words).stream().allMatch(line::contains))
                .findFirst()
                .orElse(null);
    }
}
