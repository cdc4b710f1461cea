package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many users there were, where the load generator told. */
final class Users {

    private Users() {}

    /** The mean of {@code active} over the phase, summed over the processes that told; null if none did. */
    static Double mean(List<Point> points, Phase phase) {
        Map<Map<String, String>, double[]> byProcess = new LinkedHashMap<>();
        for (Point point : points) {
            long atUs = point.timeUs();
            Double active = point.number("active");
            boolean inside = phase.fromUs() <= atUs && atUs < phase.toUs();
            if (point.measurement().equals(Measurements.USERS) && active != null && inside) {
                double[] sumAndCount = byProcess.computeIfAbsent(point.tags(), tags -> new double[2]);
                sumAndCount[0] += active;
                sumAndCount[1]++;
            }
        }
        if (byProcess.isEmpty()) {
            return null;
        }
        double users = 0;
        for (double[] sumAndCount : byProcess.values()) {
            users += sumAndCount[0] / sumAndCount[1];
        }
        return users;
    }
}
