package io.github.switchover.jmeter.fuzz;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.http.Answer;
import io.github.switchover.jmeter.http.Answer.Progress;
import io.github.switchover.jmeter.http.Head;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.target.TargetFile;
import io.github.switchover.jmeter.telemetry.TelemetryReaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** What each reader makes of bytes from anybody, as one text; anything but its own refusal is a defect. */
public final class Readers {

    /** What a reader says of what it refuses. */
    static final String REFUSED = "refused";

    private static final Map<String, Function<byte[], String>> BY_NAME = byName();
    private static final Path FILE = temporaryFile();

    private Readers() {}

    static String read(String name, byte[] bytes) {
        try {
            return BY_NAME.get(name).apply(bytes);
        } catch (SwitchoverException refused) {
            return REFUSED;
        }
    }

    private static Map<String, Function<byte[], String>> byName() {
        Map<String, Function<byte[], String>> readers = new HashMap<>(TelemetryReaders.BY_NAME);
        readers.put("line-protocol", Readers::point);
        readers.put("target-file", Readers::target);
        readers.put("probed-answer", Readers::answer);
        return readers;
    }

    private static String point(byte[] bytes) {
        try {
            Point point = PointParser.parse(new String(bytes, StandardCharsets.UTF_8));
            return PointFormat.format(point.measurement(), point.tags(), point.fields(), point.timeNs());
        } catch (IllegalArgumentException refused) {
            return REFUSED;
        }
    }

    private static String target(byte[] bytes) {
        try {
            Files.write(FILE, bytes);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return String.valueOf(TargetFile.load(FILE).endpoint().url());
    }

    /** In pieces, of the size that the first byte says. */
    private static String answer(byte[] bytes) {
        Answer answer = new Answer(new HeadReader(new IdentityReader(IdentitySettings.DEFAULT), null), 0);
        int size = bytes.length > 0 && bytes[0] != 0 ? bytes[0] & 0xff : Math.max(1, bytes.length - 1);
        Progress progress = Progress.MORE;
        for (int at = 1; at < bytes.length && progress == Progress.MORE; at += size) {
            progress = answer.feed(bytes, at, Math.min(size, bytes.length - at));
        }
        Head head = progress == Progress.BROKEN ? null : answer.head();
        return head == null
                ? progress.name()
                : progress + " " + head.status() + " " + head.framing().length();
    }

    private static Path temporaryFile() {
        try {
            Path file = Files.createTempFile("target", ".toml");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
