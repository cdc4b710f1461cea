package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A program called {@code ip} that shows what a test says, and monitors what it says later. */
final class FakeIp {

    private static final String SCRIPT = """
            #!/bin/sh
            cd "$(dirname "$0")" || exit 1
            case "$*" in
                '-o address show')
                    echo >> asked
                    [ ! -e before-answer ] || . ./before-answer
                    exec cat addresses ;;
                '-ts monitor address')
                    : > said
                    trap 'echo the way is cut >&2; kill $!; exit 1' TERM
                    tail -n +1 -f said &
                    echo $$ > pid
                    wait ;;
                *) echo "unknown: $*" >&2; exit 2 ;;
            esac
            """;

    private final Path place;

    FakeIp(Path place) throws IOException {
        this.place = place;
        Path program = Files.writeString(place.resolve("ip"), SCRIPT);
        program.toFile().setExecutable(true);
        has("");
    }

    String program() {
        return place.resolve("ip").toString();
    }

    Source.Command monitor() {
        return new Source.Command(List.of(program(), "-ts", "monitor", "address"));
    }

    void has(String addresses) throws IOException {
        Files.writeString(place.resolve("addresses"), addresses);
    }

    /** Lines for a shell that run between a question and its answer; `exit` is an answer of theirs. */
    void runsBeforeAnswer(String lines) throws IOException {
        Path written = Files.writeString(place.resolve("lines"), lines);
        Files.move(written, place.resolve("before-answer"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Until it was asked so many times more. */
    void awaitQuestions(int more) throws IOException, InterruptedException {
        long enough = Files.size(place.resolve("asked")) + more;
        Until.reached(() -> place.resolve("asked").toFile().length() >= enough);
    }

    /** To the monitor that runs, or is about to. */
    void says(String lines) throws IOException, InterruptedException {
        Until.written(place.resolve("pid"));
        Files.write(place.resolve("said"), lines.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
    }

    /** The monitor that runs now ends with a complaint. */
    void ends() throws IOException, InterruptedException {
        long pid = Long.parseLong(Until.written(place.resolve("pid")));
        new ProcessBuilder("sh", "-c", "kill -s TERM " + pid).start().waitFor();
    }
}
