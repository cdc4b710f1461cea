package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Seconds since this machine was started, the time that it was suspended included, which Java's own clocks leave out. */
public final class BootTime {

    private static final Path UPTIME = Path.of("/proc/uptime");

    private BootTime() {}

    /** For differences only; where the system does not tell, by the wall clock. */
    public static double seconds() {
        try {
            return Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]);
        } catch (IOException | NumberFormatException error) {
            return Units.nowS();
        }
    }
}
