package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.WholeFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** What this machine is called, for people; by the name's own place, since a network may have no address for it. */
final class HostName {

    private static final Path OF_LINUX = Path.of("/proc/sys/kernel/hostname");
    private static final String OF_WINDOWS = "COMPUTERNAME";

    private HostName() {}

    static String find() {
        try {
            return WholeFile.read(OF_LINUX).strip();
        } catch (IOException elsewhere) {
            String name = System.getenv(OF_WINDOWS);
            return name == null ? lookedUp() : name;
        }
    }

    private static String lookedUp() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException error) {
            return "localhost";
        }
    }
}
