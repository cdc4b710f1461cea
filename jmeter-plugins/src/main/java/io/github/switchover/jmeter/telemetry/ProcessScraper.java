package io.github.switchover.jmeter.telemetry;

import com.sun.management.OperatingSystemMXBean;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** This process, which makes the load and probes: its CPU, its memory, and how busy its machine is. */
final class ProcessScraper implements Scraper {

    /** The node name of the machine that makes the load. */
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

    @Override
    public String node() {
        return CLIENT;
    }

    @Override
    public String source() {
        return "processes";
    }

    /** CPU is of one core since the scrape before; the first has none. What this system does not tell is left out. */
    @Override
    public List<Reading> scrape(long sentNs) {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        Long rss = rssBytes();
        if (rss != null) {
            fields.put("rss_bytes", FieldValue.of(rss));
        }
        long beforeNs = cpuNs;
        long elapsedNs = sentNs - atNs;
        cpuNs = system.getProcessCpuTime();
        atNs = sentNs;
        if (beforeNs >= 0 && cpuNs >= beforeNs && elapsedNs > 0) {
            fields.put("cpu_percent", FieldValue.of(PERCENT * (cpuNs - beforeNs) / elapsedNs));
        }
        double load1 = system.getSystemLoadAverage();
        if (load1 >= 0) {
            fields.put("load1", FieldValue.of(load1));
        }
        return fields.isEmpty()
                ? List.of()
                : List.of(new Reading(Measurements.PROCESS, Map.of("node", CLIENT, "process", process), fields));
    }

    /** Null where there is no such file. */
    private static Long rssBytes() {
        try (FileInputStream status = new FileInputStream(STATUS)) {
            Matcher match = RSS.matcher(new String(status.readAllBytes(), StandardCharsets.US_ASCII));
            return match.find() ? (Long) (Long.parseLong(match.group(1)) * BYTES_PER_KB) : null;
        } catch (IOException error) {
            return null;
        }
    }
}
