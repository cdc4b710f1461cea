package io.github.switchover.jmeter.view;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/** A display for windows: the one that there is, or one of our own for as long as this is open. */
public final class Screen implements AutoCloseable {

    private static final String PROGRAM = "Xvfb";

    private final Process server;
    private final String display;

    private Screen(Process server, String display) {
        this.server = server;
        this.display = display;
    }

    /** Aborts the test where there is neither a display nor a way to make one. */
    public static Screen open(int width, int height) throws IOException {
        String there = System.getenv("DISPLAY");
        if (there != null && !there.isEmpty()) {
            return new Screen(null, there);
        }
        boolean installed = Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
        if (!installed) {
            throw new TestAbortedException("NOT TESTED: no window could be opened; install xvfb, or set DISPLAY");
        }
        Process server = new ProcessBuilder(
                        PROGRAM, "-displayfd", "1", "-screen", "0", width + "x" + height + "x24", "-nolisten", "tcp")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader told =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII))) {
            String number = told.readLine();
            if (number == null) {
                throw new IOException("Xvfb gave no display");
            }
            return new Screen(server, ":" + number.strip());
        }
    }

    /** A Java of its own on this display, with the classes of the tests. */
    public ProcessBuilder java(Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-Djava.awt.headless=false",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("DISPLAY", display);
        return builder;
    }

    @Override
    public void close() {
        if (server == null) {
            return;
        }
        server.destroy();
        try {
            if (!server.waitFor(5, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        } catch (InterruptedException error) {
            server.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
