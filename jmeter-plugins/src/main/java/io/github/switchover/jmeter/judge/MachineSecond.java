package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What the measuring machine took from its processes, from one reading of it to the next.
 *
 * @param stolenMs of all processors together
 * @param waitedMs how long the metronome was ready to run and had no processor; 0 where it is not known
 */
record MachineSecond(Span span, double stolenMs, double waitedMs, long running) {

    /** A cause that covers less of a hole than this does not explain it. */
    private static final double NOTICEABLE_SHARE = 0.5;

    /** Whether a point is a reading of all processors together. */
    static boolean isReading(Point point) {
        return point.measurement().equals(Measurements.MACHINE)
                && "all".equals(point.tags().get("processor"));
    }

    /** In order of time. The first reading has no second before it, and is left out. */
    static List<MachineSecond> of(List<Point> points) {
        List<Point> readings = points.stream()
                .filter(MachineSecond::isReading)
                .sorted(Comparator.comparingLong(Point::timeNs))
                .toList();
        List<MachineSecond> seconds = new ArrayList<>();
        for (int index = 1; index < readings.size(); index++) {
            Point after = readings.get(index);
            Span span = new Span(readings.get(index - 1).timeUs(), after.timeUs());
            long running = (long) Math.rint(number(after, "running"));
            seconds.add(new MachineSecond(span, number(after, "stolen_ms"), number(after, "waited_ms"), running));
        }
        return seconds;
    }

    /**
     * Why nothing was sent in a stretch of time, as far as the machine tells; empty where it does not. Both figures are of
     * whole seconds, so that they show what can have been, not what was.
     */
    static String likelyCause(List<MachineSecond> seconds, Span hole) {
        List<MachineSecond> near = seconds.stream()
                .filter(second -> second.span.fromUs() < hole.toUs() && second.span.toUs() > hole.fromUs())
                .toList();
        double enoughMs = NOTICEABLE_SHARE * Units.msOfUs(hole.lengthUs());
        String when = near.size() == 1 ? "that second" : "those " + near.size() + " seconds";
        double stolenMs = near.stream().mapToDouble(MachineSecond::stolenMs).sum();
        if (stolenMs > 0 && stolenMs >= enoughMs) {
            return "the hypervisor took the processor: " + Numbers.fixed(stolenMs, 0) + " ms stolen in " + when;
        }
        double waitedMs = near.stream().mapToDouble(MachineSecond::waitedMs).sum();
        if (waitedMs > 0 && waitedMs >= enoughMs) {
            long running = near.stream().mapToLong(MachineSecond::running).max().orElse(0);
            return "the processors were busy: the metronome waited " + Numbers.fixed(waitedMs, 0) + " ms in " + when
                    + ", " + running + " processes ran";
        }
        return "";
    }

    private static double number(Point point, String name) {
        Double told = point.number(name);
        return told == null ? 0 : told;
    }
}
