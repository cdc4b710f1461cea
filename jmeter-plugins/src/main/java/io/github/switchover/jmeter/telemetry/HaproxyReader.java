package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot.StatRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the statistics of one HAProxy repeatedly, and detects resets of its counters. Not thread-safe. */
public final class HaproxyReader {

    /** Both commands are in one line: without its prompt mode, HAProxy reads only one line per connection. */
    private static final byte[] REQUEST = "show info;show stat\n".getBytes(StandardCharsets.US_ASCII);

    /** Columns that never fall while the process lives, except by {@code clear counters all} or a reload. */
    private static final Pattern COUNTER = Pattern.compile("stot|bin|bout|req_tot|conn_tot|lbtot|econ|eresp|ereq|wretr|"
            + "wredis|cli_abrt|srv_abrt|hrsp_([1-5]xx|other)");

    private static final String CSV = ";csv";

    /** A start time derived from an uptime in whole seconds may change by one second from scrape to scrape. */
    private static final long START_TOLERANCE_S = 2;

    private record PidStart(long pid, long start) {}

    private final boolean page;
    private final Source source;
    private @Nullable HaproxySnapshot last;
    private String process = "";
    private @Nullable PidStart pidStart;
    private int restarts = 1;

    /** Creates a reader. {@code source}: a socket, a page or a command. */
    public HaproxyReader(Source source) {
        page = source instanceof Source.HttpPage;
        this.source = source instanceof Source.HttpPage statistics ? csvOf(statistics) : source;
    }

    /** Reads once; {@code nowS} replaces a missing start time. Throws SourceException if the answer is not usable. */
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

    /** Appends {@code ;csv} to the page's {@code stats uri}, which may have a query, as in {@code /haproxy?stats}. */
    static Source.HttpPage csvOf(Source.HttpPage statistics) {
        String[] parts = statistics.url().split("(?=#)", 2);
        String url = parts[0];
        if (url.contains(CSV)) {
            return statistics;
        }
        // Without the slash, the suffix would become a part of the host name.
        String slash = url.matches("[^/]*//[^/]*") ? "/" : "";
        return new Source.HttpPage(url + slash + CSV + (parts.length > 1 ? parts[1] : ""));
    }

    /** Returns {@code <Pid>-<Start_time_sec>}; {@code page} without a pid: only falling counters show a new process. */
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

    /** True if a counter of a row in both snapshots has fallen. */
    private static boolean countersFell(HaproxySnapshot before, HaproxySnapshot after) {
        Map<List<String>, Map<String, Long>> earlier = new HashMap<>();
        before.rows().forEach(row -> earlier.put(row.key(), row.numbers()));
        return after.rows().stream()
                .anyMatch(row -> earlier.containsKey(row.key()) && fell(earlier.get(row.key()), row.numbers()));
    }

    private static boolean fell(Map<String, Long> before, Map<String, Long> after) {
        return after.entrySet().stream()
                .anyMatch(figure -> COUNTER.matcher(figure.getKey()).matches()
                        && figure.getValue() < before.getOrDefault(figure.getKey(), figure.getValue()));
    }

    /**
     * Parses HAProxy's answer to {@code show info;show stat}, or the CSV of its statistics page.
     *
     * <p>Columns are found by name: versions 1.4 to 3.x only add columns. An empty field gives no figure.
     */
    static final class HaproxyTable {

        private static final String HEADER = "# pxname,";

        /** The values of the column {@code type}, 0 to 3 (HAProxy management guide, section 9.1). */
        private static final List<String> TYPES = List.of("frontend", "backend", "server", "listener");

        /** Columns of text: a value such as a cookie may look like a number but is not a number. */
        private static final Pattern TEXT_COLUMN =
                Pattern.compile("|-|pxname|svname|status|tracked|check_status|last_chk|"
                        + "check_desc|agent_status|last_agt|agent_desc|addr|cookie|mode|algo");

        private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");
        private static final Pattern NODE = Pattern.compile("(?m)^node:[ \t]*(\\S{1,255})[ \t]*\r?$");
        private static final Pattern INFO_LINE = Pattern.compile("([A-Za-z][\\w.-]{0,63}):[ \t]*(-?[0-9]{1,19})[ \t]*");

        /** A field with its separator. A quote inside a quoted field is doubled (management guide, section 9.1). */
        private static final Pattern FIELD =
                Pattern.compile("\\G(?:\"((?:[^\"]++|\"\")*+)\"|([^\",\r\n]*+))(,|\r*\n|\r*\\z)");

        private static final int SHOWN_CHARACTERS = 80;

        /** Parses the answer. Throws SourceException if it is not a statistics table, or was cut off. */
        static HaproxySnapshot parse(byte[] answer, boolean page) {
            String text = new String(answer, StandardCharsets.UTF_8);
            int header = text.startsWith(HEADER) ? 0 : text.indexOf("\n" + HEADER);
            if (header < 0) {
                throw new SourceException(refusal(text));
            }
            String head = text.substring(0, header);
            String body = text.startsWith(HEADER) ? text : text.substring(header + 1);
            // On the socket an empty line ends the table. On the page the transport detects a missing end.
            if (!(body.endsWith("\n\n") || (page && body.endsWith("\n")))) {
                throw new SourceException("HAProxy's table was cut off: its end is missing");
            }
            Matcher node = NODE.matcher(head);
            return new HaproxySnapshot(table(body), node.find() ? node.group(1) : "", info(head), "");
        }

        private static String refusal(String text) {
            String first = text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .findFirst()
                    .orElse("");
            if (first.isEmpty()) {
                return "no answer: the connection ended without a byte";
            }
            if (text.substring(0, Math.min(text.length(), 1000)).contains("Permission denied")) {
                return "Permission denied: give the socket `level user` or more in HAProxy's configuration";
            }
            String shown = first.substring(0, Math.min(SHOWN_CHARACTERS, first.length()));
            return "answered " + ReadableText.quoted(ReadableText.printable(shown, '.'))
                    + ", which is not an answer of HAProxy";
        }

        private static Map<String, Long> info(String head) {
            Map<String, Long> numbers = new LinkedHashMap<>();
            head.lines().forEach(line -> {
                Matcher match = INFO_LINE.matcher(line);
                Long value = match.matches() ? integer(match.group(2)) : null;
                if (value != null) {
                    numbers.put(match.group(1), value);
                }
            });
            return numbers;
        }

        private static List<StatRow> table(String body) {
            String lines = body.replaceFirst("\n+$", "");
            List<StatRow> rows = new ArrayList<>();
            List<String> columns = null;
            List<String> fields = new ArrayList<>();
            Matcher field = FIELD.matcher(lines);
            while (field.find()) {
                fields.add(
                        field.group(1) == null ? field.group(2) : field.group(1).replace("\"\"", "\""));
                if (field.group(3).equals(",")) {
                    continue;
                }
                if (columns == null) {
                    fields.set(0, fields.get(0).substring(2));
                    columns = fields;
                } else {
                    addRow(rows, columns, fields);
                }
                if (field.end() == lines.length()) {
                    return rows;
                }
                fields = new ArrayList<>();
            }
            throw new SourceException("HAProxy's table cannot be read: its quotes are not right");
        }

        /** Adds a row by column names, unless the row has no proxy or no server. */
        private static void addRow(List<StatRow> rows, List<String> columns, List<String> fields) {
            Map<String, String> values = new LinkedHashMap<>();
            for (int i = 0; i < columns.size() && i < fields.size(); i++) {
                values.put(columns.get(i), fields.get(i));
            }
            String proxy = values.getOrDefault("pxname", "");
            String server = values.getOrDefault("svname", "");
            if (proxy.isEmpty() || server.isEmpty()) {
                return;
            }
            Map<String, Long> numbers = new LinkedHashMap<>();
            values.forEach((name, text) -> {
                boolean isFigure = !TEXT_COLUMN.matcher(name).matches();
                Long value = isFigure ? integer(text) : null;
                if (value != null) {
                    numbers.put(name, value);
                }
            });
            rows.add(new StatRow(proxy, server, type(server, numbers), values.getOrDefault("status", ""), numbers));
        }

        private static String type(String server, Map<String, Long> numbers) {
            Long number = numbers.get("type");
            if (number != null && number >= 0 && number < TYPES.size()) {
                return TYPES.get(number.intValue());
            }
            return switch (server) {
                case "FRONTEND" -> "frontend";
                case "BACKEND" -> "backend";
                default -> "server";
            };
        }

        /** Returns a whole number that fits into 64 bits. */
        private static @Nullable Long integer(String text) {
            if (!INTEGER.matcher(text).matches()) {
                return null;
            }
            try {
                long value = Long.parseLong(text);
                return value == Long.MIN_VALUE ? null : value;
            } catch (NumberFormatException beyond) {
                return null;
            }
        }
    }
}
