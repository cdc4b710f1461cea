package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void an_interrupted_thread_writes_on() throws IOException {
        Path path = folder.resolve("a");
        Thread.currentThread().interrupt();
        WholeFile.write(path, "one");
        assertThat(WholeFile.read(path)).isEqualTo("one");
        assertThat(Thread.interrupted()).isTrue();
    }
}
