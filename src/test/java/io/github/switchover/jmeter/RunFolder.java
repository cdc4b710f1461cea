package io.github.switchover.jmeter;

import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleWriter;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.run.RunFile;
import java.nio.file.Path;
import java.util.Map;

/** A run that the vectors describe, as the directory that it would have left. */
public final class RunFolder {

    private RunFolder() {}

    public static void write(Path directory, RunData data) {
        RunFile.write(directory, data.run());
        write(directory.resolve("probes.jtl"), data.probes());
        write(directory.resolve("samples.jtl"), data.samples());
        try (Journal journal = new Journal(directory.resolve("journal.lp"), Map.of())) {
            data.points()
                    .forEach(point -> journal.writeLine(
                            PointFormat.format(point.measurement(), point.tags(), point.fields(), point.timeNs())));
        }
    }

    private static void write(Path path, Iterable<Sample> samples) {
        try (SampleWriter writer = new SampleWriter(path)) {
            samples.forEach(writer::write);
        }
    }
}
