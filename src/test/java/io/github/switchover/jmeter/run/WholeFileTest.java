package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WholeFileTest {

    @TempDir
    private Path folder;

    @Test
    void a_file_is_replaced_as_a_whole() throws IOException {
        Path path = folder.resolve("a");
        WholeFile.write(path, "one");
        WholeFile.write(path, "é");
        assertThat(WholeFile.read(path)).isEqualTo("é");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void what_cannot_be_written_leaves_the_old_file() throws IOException {
        Path path = Files.writeString(folder.resolve("a"), "old");
        Files.createDirectory(folder.resolve("a.part"));
        assertThatThrownBy(() -> WholeFile.write(path, "new"))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage("cannot write " + path + ": Is a directory");
        assertThat(path).hasContent("old");
    }

    @Test
    void a_link_is_replaced_and_what_it_points_to_is_not_written() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "old");
        for (String link : List.of("a", "a.part")) {
            Files.createSymbolicLink(folder.resolve(link), other);
            WholeFile.write(folder.resolve("a"), "new");
            assertThat(other).hasContent("old");
            assertThat(folder.resolve("a")).hasContent("new");
            assertThat(Files.isSymbolicLink(folder.resolve("a"))).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/zero", "/dev/null"})
    void a_device_is_not_read(String device) throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("run.json"), Path.of(device));
        assertThatThrownBy(() -> WholeFile.read(link))
                .isInstanceOf(IOException.class)
                .hasMessage("it is not a regular file");
    }

    @Test
    void an_interrupted_thread_writes_on() throws IOException {
        Path path = folder.resolve("a");
        Thread.currentThread().interrupt();
        WholeFile.write(path, "one");
        assertThat(WholeFile.read(path)).isEqualTo("one");
        assertThat(Thread.interrupted()).isTrue();
    }
}
