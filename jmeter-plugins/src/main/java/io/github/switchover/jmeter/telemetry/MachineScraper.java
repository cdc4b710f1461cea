package io.github.switchover.jmeter.telemetry;

import com.sun.management.OperatingSystemMXBean;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.telemetry.Scraper.Reading;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The time since the last scrape that this machine's processes, and the prober, did not get a processor.
 *
 * <p>/proc/stat counts in ticks, and schedstat (Documentation/scheduler/sched-stats.rst) in nanoseconds.
 */
final class MachineScraper {

    static final Path STAT = Path.of("/proc/stat");

    /** The name for all processors together. */
    private static final String ALL = "all";

    private static final Pattern CPU = Pattern.compile("(?m)^cpu([0-9]{1,5})((?: [0-9]{1,19}){8,})");
    private static final Pattern RUNNING = Pattern.compile("(?m)^procs_running ([0-9]{1,9})$");

    /** The index of the softirq time in a {@code cpu} line (proc_stat(5)). */
    private static final int SOFTIRQ = 6;

    private static final int STEAL = 7;

    /** USER_HZ is 100 on every Linux architecture in use. */
    private static final double TICK_MS = 10;

    private @Nullable Map<String, ProcessorTime> before;
    private @Nullable Double waitedBeforeMs;
    private volatile String prober = "";

    /** The time since the start of the machine that a processor did not give to processes. */
    private record ProcessorTime(double stolenMs, double softirqMs) {

        /** The difference from an earlier reading. A counter that fell (after a migration to another host) gives 0. */
        ProcessorTime since(ProcessorTime earlier) {
            return new ProcessorTime(
                    Math.max(stolenMs - earlier.stolenMs, 0), Math.max(softirqMs - earlier.softirqMs, 0));
        }

        ProcessorTime plus(ProcessorTime other) {
            return new ProcessorTime(stolenMs + other.stolenMs, softirqMs + other.softirqMs);
        }

        Map<String, FieldValue> fields() {
            return FieldValue.map("stolen_ms", stolenMs, "softirq_ms", softirqMs);
        }
    }

    /** Starts to record how long a thread of this process, with this system id, waits for a processor. */
    void watch(String thread) {
        prober = thread;
    }

    Scraper scraper() {
        return new Scraper(ProcessScraper.CLIENT, "machine", this::scrape);
    }

    List<Reading> scrape(long sentNs) {
        try {
            return readings(Files.readString(STAT), waitedMs());
        } catch (IOException error) {
            throw new SourceException("cannot read " + STAT + ": " + error.getMessage());
        }
    }

    /** The readings for each processor and for all processors; empty at the first call. */
    List<Reading> readings(String stat, @Nullable Double waitedMs) {
        Map<String, ProcessorTime> now = new LinkedHashMap<>();
        Matcher cpu = CPU.matcher(stat);
        while (cpu.find()) {
            String[] ticks = cpu.group(2).strip().split(" ", -1);
            now.put(cpu.group(1), new ProcessorTime(ms(ticks[STEAL]), ms(ticks[SOFTIRQ])));
        }
        Matcher running = RUNNING.matcher(stat);
        if (now.isEmpty() || !running.find()) {
            throw new SourceException(STAT + " has no lines for the processors and for procs_running");
        }
        Map<String, ProcessorTime> last = before;
        Double waitedLastMs = waitedBeforeMs;
        before = now;
        waitedBeforeMs = waitedMs;
        if (last == null) {
            return List.of();
        }
        List<Reading> readings = new ArrayList<>();
        ProcessorTime together = new ProcessorTime(0, 0);
        for (Map.Entry<String, ProcessorTime> one : now.entrySet()) {
            ProcessorTime taken = one.getValue().since(last.getOrDefault(one.getKey(), one.getValue()));
            together = together.plus(taken);
            readings.add(reading(one.getKey(), taken.fields()));
        }
        Map<String, FieldValue> whole = together.fields();
        whole.put("running", FieldValue.of(Long.valueOf(running.group(1))));
        if (waitedMs != null && waitedLastMs != null) {
            whole.put("waited_ms", FieldValue.of(Math.max(waitedMs - waitedLastMs, 0)));
        }
        readings.add(reading(ALL, whole));
        return readings;
    }

    /** The time that the prober waited for a processor; null: no prober, or not reported. */
    private @Nullable Double waitedMs() {
        if (prober.isEmpty()) {
            return null;
        }
        try {
            String[] numbers = Files.readString(Path.of("/proc/self/task", prober, "schedstat"))
                    .strip()
                    .split(" ", -1);
            return Units.msOfNs(Long.parseLong(numbers[1]));
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException error) {
            return null;
        }
    }

    private static Reading reading(String processor, Map<String, FieldValue> fields) {
        return new Reading(Measurements.MACHINE, Map.of("node", ProcessScraper.CLIENT, "processor", processor), fields);
    }

    private static double ms(String ticks) {
        return Double.parseDouble(ticks) * TICK_MS;
    }

    /** Measures this process, which makes the load and the probes: its CPU, its memory, and the load of its machine. */
    static final class ProcessScraper {

        /** The node name of this machine in the points. */
        static final String CLIENT = "client";

        private static final String STATUS = "/proc/self/status";
        private static final Pattern RSS = Pattern.compile("(?m)^VmRSS:\\s+([0-9]{1,15}) kB$");
        private static final long BYTES_PER_KB = 1024;
        private static final double PERCENT = 100;

        private final String process;
        private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        private long cpuNs = -1;
        private long atNs;

        ProcessScraper(String process) {
            this.process = process;
        }

        Scraper scraper() {
            return new Scraper(CLIENT, "processes", this::scrape);
        }

        /** Returns the readings. CPU is the percentage of one core since the last scrape; the first has no CPU. */
        List<Reading> scrape(long sentNs) {
            long beforeNs = cpuNs;
            long elapsedNs = sentNs - atNs;
            cpuNs = system.getProcessCpuTime();
            atNs = sentNs;
            boolean isKnown = beforeNs >= 0 && cpuNs >= beforeNs && elapsedNs > 0;
            double load1 = system.getSystemLoadAverage();
            Map<String, FieldValue> fields = FieldValue.map(
                    "rss_bytes", rssBytes(),
                    "cpu_percent", isKnown ? PERCENT * (cpuNs - beforeNs) / elapsedNs : null,
                    "load1", load1 >= 0 ? load1 : null);
            return fields.isEmpty()
                    ? List.of()
                    : List.of(new Reading(Measurements.PROCESS, Map.of("node", CLIENT, "process", process), fields));
        }

        /** The resident memory of this JVM in bytes. */
        private static @Nullable Long rssBytes() {
            try (FileInputStream status = new FileInputStream(STATUS)) {
                Matcher match = RSS.matcher(new String(status.readAllBytes(), StandardCharsets.US_ASCII));
                return match.find() ? Long.parseLong(match.group(1)) * BYTES_PER_KB : null;
            } catch (IOException error) {
                return null;
            }
        }
    }
}
