package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Source;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * CPU, memory and load of a node's processes, from a command that prints /proc/loadavg and lines of /proc/PID/stat. A
 * process counts from the first read that saw it; what it used before that, or after the last, is not known.
 */
final class NodeProcesses implements Scraper {

    /** Reading them means starting some on the node, which costs tens of milliseconds of CPU. */
    static final int EVERY = 5;

    private static final int LIMIT_BYTES = 1024 * 1024;

    /** USER_HZ and the page size of every Linux architecture in use. */
    static final double TICKS_PER_S = 100;

    private static final long PAGE_BYTES = 4096;
    private static final double PERCENT = 100;

    private static final Pattern LOADAVG =
            Pattern.compile("(\\d+\\.\\d\\d) \\d+\\.\\d\\d \\d+\\.\\d\\d \\d+/\\d+ \\d+");
    private static final Pattern STAT = Pattern.compile(
            "(\\d{1,10}) \\((.{1,64})\\) [A-Za-z] (-?\\d{1,20}(?: -?\\d{1,20}){20,60})", Pattern.DOTALL);

    /** proc_pid_stat(5) numbers the fields from 1; a line is split from the fourth on. */
    private static final int FIRST_FIELD = 4;

    private static final int UTIME = 14;
    private static final int STIME = 15;
    private static final int STARTTIME = 22;
    private static final int RSS = 24;

    private final String node;
    private final Source.Command command;
    private Map<ProcessKey, Long> ticksBefore = Map.of();
    private Long beforeNs;

    /** A later process may have the pid of an earlier one. */
    private record ProcessKey(long pid, long startedTicks) {}

    private static final class ProcessUse {
        private long ticks;
        private long rssBytes;
    }

    NodeProcesses(String node, Source.Command command) {
        this.node = node;
        this.command = command;
    }

    @Override
    public String node() {
        return node;
    }

    @Override
    public String source() {
        return "processes";
    }

    @Override
    public int every() {
        return EVERY;
    }

    @Override
    public List<Reading> scrape(long sentNs) {
        long beganNs = System.nanoTime();
        byte[] answer = Transport.fetch(command, null, Transport.TIMEOUT_S, LIMIT_BYTES);
        // The files were read between sending and now; the middle halves the error.
        long atNs = sentNs + (System.nanoTime() - beganNs) / 2;
        return readings(new String(answer, StandardCharsets.UTF_8), atNs);
    }

    /** By name of the processes; {@code atNs} is when they were read. CPU is of one core, and the first read has none. */
    List<Reading> readings(String text, long atNs) {
        Double load1 = null;
        Map<ProcessKey, Long> ticks = new HashMap<>();
        Map<String, ProcessUse> uses = new TreeMap<>();
        for (String line : text.lines().toList()) {
            Matcher load = LOADAVG.matcher(line.strip());
            Matcher stat = STAT.matcher(line.strip());
            if (load.matches()) {
                load1 = Double.parseDouble(load.group(1));
            } else if (stat.matches()) {
                add(stat, ticks, uses);
            }
        }
        if (load1 == null && uses.isEmpty()) {
            throw new SourceException("printed neither /proc/loadavg nor a line of /proc/PID/stat");
        }
        Double elapsedS = beforeNs == null ? null : (Double) Units.secondsOfNs(atNs - beforeNs);
        ticksBefore = ticks;
        beforeNs = atNs;
        List<Reading> readings = new ArrayList<>();
        for (Map.Entry<String, ProcessUse> use : uses.entrySet()) {
            Map<String, FieldValue> fields = new LinkedHashMap<>();
            fields.put("rss_bytes", FieldValue.of(use.getValue().rssBytes));
            if (elapsedS != null && elapsedS > 0) {
                fields.put("cpu_percent", FieldValue.of(PERCENT * use.getValue().ticks / TICKS_PER_S / elapsedS));
            }
            if (load1 != null) {
                fields.put("load1", FieldValue.of((double) load1));
            }
            readings.add(new Reading(Measurements.PROCESS, Map.of("node", node, "process", use.getKey()), fields));
        }
        return readings;
    }

    private void add(Matcher stat, Map<ProcessKey, Long> ticks, Map<String, ProcessUse> uses) {
        String[] fields = stat.group(3).split(" ", -1);
        try {
            ProcessKey key = new ProcessKey(Long.parseLong(stat.group(1)), number(fields, STARTTIME));
            long spent = number(fields, UTIME) + number(fields, STIME);
            ticks.put(key, spent);
            ProcessUse use = uses.computeIfAbsent(stat.group(2), name -> new ProcessUse());
            use.ticks += Math.max(spent - ticksBefore.getOrDefault(key, spent), 0);
            use.rssBytes += number(fields, RSS) * PAGE_BYTES;
        } catch (NumberFormatException error) {
            return; // no line of the kernel
        }
    }

    private static long number(String[] fields, int place) {
        return Long.parseLong(fields[place - FIRST_FIELD]);
    }
}
