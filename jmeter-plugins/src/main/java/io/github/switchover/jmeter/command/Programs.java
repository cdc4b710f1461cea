package io.github.switchover.jmeter.command;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the programs of this machine. */
public final class Programs {

    /** The shell that POSIX requires. Every machine with Unix sockets and FIFOs of balancers has this shell. */
    public static final Path SHELL = Path.of("/bin/sh");

    /** The operating system's reason why a command cannot be run. */
    static @Nullable String whyNot(List<String> command) {
        if (command.isEmpty()) {
            return "no program is named";
        }
        String reason = "No such file or directory";
        for (Path path : candidates(command.get(0))) {
            if (Files.isExecutable(path) && !Files.isDirectory(path)) {
                return null;
            }
            if (Files.exists(path)) {
                reason = "Permission denied";
            }
        }
        return reason;
    }

    /** Returns a command that runs the given command in a new session, or the given command without {@code setsid}. */
    public static List<String> inSessionOfItsOwn(List<String> command) {
        if (whyNot(List.of("setsid")) != null) {
            return command;
        }
        List<String> arguments = new ArrayList<>(command);
        arguments.add(0, "setsid");
        return arguments;
    }

    private static List<Path> candidates(String program) {
        try {
            if (program.isEmpty() || program.indexOf('/') >= 0) {
                return program.isEmpty() ? List.of() : List.of(Path.of(program));
            }
            return Stream.of(System.getenv()
                            .getOrDefault("PATH", "/usr/bin:/bin")
                            .split(":", -1))
                    .map(directory -> Path.of(directory.isEmpty() ? "." : directory, program))
                    .toList();
        } catch (InvalidPathException error) {
            return List.of();
        }
    }
}
