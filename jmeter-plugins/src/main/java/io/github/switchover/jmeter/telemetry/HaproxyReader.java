package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.target.Source;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads one HAProxy again and again, and knows when its counters began anew. Not thread-safe. */
public final class HaproxyReader {

    /** One line: HAProxy reads no second one on the same connection unless asked for its prompt. */
    private static final byte[] REQUEST = "show info;show stat\n".getBytes(StandardCharsets.US_ASCII);

    /** Columns that never fall while the process lives; {@code clear counters all} and a reload set them to 0. */
    private static final Pattern COUNTER = Pattern.compile("stot|bin|bout|req_tot|conn_tot|lbtot|econ|eresp|ereq|wretr|"
            + "wredis|cli_abrt|srv_abrt|hrsp_([1-5]xx|other)");

    private static final String CSV = ";csv";

    /** A start time derived from an uptime in whole seconds moves by one as the second turns. */
    private static final long START_TOLERANCE_S = 2;

    private record PidStart(long pid, long start) {}

    private final boolean page;
    private final Source source;
    private HaproxySnapshot last;
    private String process = "";
    private PidStart pidStart;
    private int restarts = 1;

    /** {@code source}: a socket, a page or a command. */
    public HaproxyReader(Source source) {
        page = source instanceof Source.HttpPage;
        this.source = source instanceof Source.HttpPage statistics ? csvOf(statistics) : source;
    }

    /**
     * One scrape; {@code nowS}, epoch seconds, serves where HAProxy tells its uptime but not its start.
     *
     * @throws SourceException if it gives nothing usable
     */
    public HaproxySnapshot read(double nowS, double timeoutS) {
        byte[] answer = Transport.fetch(source, page ? null : REQUEST, timeoutS, Transport.LIMIT_BYTES);
        try {
            return take(HaproxyTable.parse(answer, page), nowS);
        } catch (SourceException error) {
            throw new SourceException(source + ": " + error.getMessage(), error);
        }
    }

    HaproxySnapshot take(HaproxySnapshot snapshot, double nowS) {
        String named = processOf(snapshot.info(), nowS);
        if (!named.equals(process)) {
            process = named;
            restarts = 1;
        } else if (last != null && countersFell(last, snapshot)) {
            restarts++;
        }
        last = snapshot.in(restarts == 1 ? process : process + "." + restarts);
        return last;
    }

    /**
     * The statistics page as CSV: {@code ;csv} is put at the end where it is missing. HAProxy looks for it behind its
     * {@code stats uri}, which may have a query: {@code /haproxy?stats} is the default.
     */
    static Source.HttpPage csvOf(Source.HttpPage statistics) {
        String url = statistics.url();
        int begin = url.indexOf("//") + 2;
        int end = begin;
        while (end < url.length() && "?#".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        int fragment = url.indexOf('#', end);
        int last = fragment < 0 ? url.length() : fragment;
        String query = url.substring(end, last);
        int path = url.indexOf('/', begin);
        boolean hasPath = path >= 0 && path < end;
        if (query.contains(CSV) || (hasPath && url.substring(path, end).contains(CSV))) {
            return statistics;
        }
        if (query.length() > 1) {
            return new Source.HttpPage(url.substring(0, last) + CSV + url.substring(last));
        }
        // Behind a host alone it would be a part of the host.
        return new Source.HttpPage(url.substring(0, end) + (hasPath ? CSV : "/" + CSV) + url.substring(last));
    }

    /** {@code <Pid>-<Start_time_sec>}; the page tells neither, so there only falling counters end a generation. */
    private String processOf(Map<String, Long> info, double nowS) {
        Long pid = info.get("Pid");
        if (pid == null) {
            return "page";
        }
        Long start = info.get("Start_time_sec");
        if (start == null) {
            start = (long) Math.rint(nowS) - info.getOrDefault("Uptime_sec", 0L);
            if (pidStart != null && pidStart.pid == pid && Math.abs(pidStart.start - start) <= START_TOLERANCE_S) {
                start = pidStart.start;
            }
        }
        pidStart = new PidStart(pid, start);
        return pid + "-" + start;
    }

    /** True if a counter of a row that both have is lower than it was. */
    private static boolean countersFell(HaproxySnapshot before, HaproxySnapshot after) {
        Map<StatRow.Key, Map<String, Long>> earlier = new HashMap<>();
        before.rows().forEach(row -> earlier.put(row.key(), row.numbers()));
        return after.rows().stream()
                .anyMatch(row -> earlier.containsKey(row.key()) && fell(earlier.get(row.key()), row.numbers()));
    }

    private static boolean fell(Map<String, Long> before, Map<String, Long> after) {
        return after.entrySet().stream()
                .anyMatch(figure -> COUNTER.matcher(figure.getKey()).matches()
                        && figure.getValue() < before.getOrDefault(figure.getKey(), figure.getValue()));
    }
}
