package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Which kind of source stands at a key. */
final class SourceReader {

    private SourceReader() {}

    /** What a key may name, with an example for those who named something else. */
    enum SourceKind {
        UNIX_SOCKET(Source.UnixSocket.class, "\"unix:/run/haproxy/admin.sock\""),
        TCP_SOCKET(Source.TcpSocket.class, "\"tcp://lb1:9999\""),
        HTTP_PAGE(Source.HttpPage.class, "\"http://lb1:8404/stats\""),
        COMMAND(Source.Command.class, "[\"ssh\", \"lb1\", …]"),
        FIFO(Source.Fifo.class, "\"fifo:/run/keepalived/notify.fifo\""),
        LOG_FILE(Source.LogFile.class, "\"/var/log/nginx/access.log\"");

        private final Class<? extends Source> type;
        private final String example;

        SourceKind(Class<? extends Source> type, String example) {
            this.type = type;
            this.example = example;
        }
    }

    /** The source that stands at the key, which must be of one of those kinds; null where there is none. */
    static Source read(TomlTable table, String key, SourceKind... kinds) {
        Object value = table.any(key);
        if (value == null) {
            return null;
        }
        Source found = parse(table, key, value);
        if (found != null && Arrays.stream(kinds).anyMatch(kind -> kind.type.isInstance(found))) {
            return found;
        }
        String examples = Arrays.stream(kinds).map(kind -> kind.example).collect(Collectors.joining(" or "));
        String instead =
                value instanceof String text ? ReadableText.quoted(PublicText.text(text)) : ReadableText.kindOf(value);
        throw table.error(key, "must be " + examples + ", not " + instead);
    }

    static Source.Command command(TomlTable table, String key) {
        return (Source.Command) read(table, key, SourceKind.COMMAND);
    }

    private static Source parse(TomlTable table, String key, Object value) {
        if (value instanceof List) {
            return new Source.Command(table.arguments(key), table.variables());
        }
        if (!(value instanceof String text)) {
            return null;
        }
        Source found = SourceText.of(text);
        if (found instanceof Source.UnixSocket socket) {
            return new Source.UnixSocket(table.locate(socket.path()));
        }
        if (found instanceof Source.Fifo fifo) {
            return new Source.Fifo(table.locate(fifo.path()));
        }
        return found == null && text.indexOf('/') >= 0 && !SourceText.isAddress(text)
                ? new Source.LogFile(table.locate(text))
                : found;
    }
}
