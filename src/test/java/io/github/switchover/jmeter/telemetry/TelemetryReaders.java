package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.telemetry.AddressOwners.Notification;
import io.github.switchover.jmeter.telemetry.HaproxyReader.HaproxyTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the readers of telemetry make of bytes from anybody, as one text. */
public final class TelemetryReaders {

    public static final Map<String, Function<byte[], String>> BY_NAME = Map.of(
            "haproxy-answer", TelemetryReaders::haproxy,
            "nginx-status", TelemetryReaders::nginx,
            "ip-line", TelemetryReaders::address,
            "fifo-line", TelemetryReaders::notification);

    private static final long TIME_NS = 1_700_000_012_000_000_000L;
    private static final String NOTHING = "nothing";

    private TelemetryReaders() {}

    /** The first byte says whether it is the page. */
    private static String haproxy(byte[] bytes) {
        boolean isPage = bytes.length > 0 && bytes[0] == 'p';
        byte[] answer = bytes.length > 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
        HaproxySnapshot snapshot = HaproxyTable.parse(answer, isPage).in("generation");
        Stream<String> info = snapshot.info().entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue());
        Stream<String> lines = HaproxyKind.readings("lb1", snapshot).stream()
                .map(it -> PointFormat.format(it.measurement(), it.tags(), it.fields(), TIME_NS));
        return Stream.concat(info, lines).collect(Collectors.joining("\n"));
    }

    private static String nginx(byte[] page) {
        return PointFormat.format("m", Map.of(), FieldValue.ofEach(NginxKind.parse(page)), TIME_NS);
    }

    private static String address(byte[] bytes) {
        AddressLine found = AddressLine.parse(text(bytes));
        return found == null
                ? NOTHING
                : found.iface() + " " + found.address().getHostAddress() + " " + found.deleted() + " "
                        + found.stampNs();
    }

    private static String notification(byte[] bytes) {
        Notification found = Notification.parse(text(bytes));
        return found == null ? NOTHING : found.instance() + " " + found.state() + " " + found.priority();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
