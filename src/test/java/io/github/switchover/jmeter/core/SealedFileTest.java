package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SealedFileTest {

    @TempDir
    private Path folder;

    static Stream<Named<Map<String, Object>>> files() {
        return Contract.plain("seals.json", "files");
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_file_is_held_against_its_seals_as_python_does(Map<String, Object> vector) throws IOException {
        Path path = folder.resolve("journal.lp");
        StringBuilder text = new StringBuilder();
        for (Object part : (List<?>) vector.get("text")) {
            List<?> repeated = (List<?>) part;
            text.append(((String) repeated.get(0)).repeat(((Long) repeated.get(1)).intValue()));
        }
        Files.writeString(path, text);
        List<Seal> seals = ((List<?>) vector.get("seals"))
                .stream().map(seal -> Json.read(Json.line(seal), Seal.class)).toList();
        Damage found = SealedFile.findDamage(path, seals, (Boolean) vector.get("may_grow"));
        Map<?, ?> expected = (Map<?, ?>) vector.get("damage");
        if (expected == null) {
            assertThat(found).isNull();
            return;
        }
        assertThat(found)
                .isEqualTo(new Damage(
                        "journal.lp", (Long) expected.get("from_byte"), (Long) expected.get("to_byte"), (Boolean)
                                expected.get("is_cut")));
        assertThat(found.text()).isEqualTo(expected.get("text"));
    }

    @Test
    void a_writer_seals_what_stands_in_its_file_and_a_later_one_what_it_added() {
        Path path = folder.resolve("journal.lp");
        Seal first = written(path);
        Seal second = written(path);
        assertThat(second.fromByte()).isEqualTo(first.toByte());
        assertThat(second.toByte()).isEqualTo(path.toFile().length());
        assertThat(SealedFile.findDamage(path, List.of(first, second), false)).isNull();
    }

    private static Seal written(Path path) {
        Appender appender = new Appender(path);
        appender.append(List.of("line\n".repeat(20_000).getBytes(StandardCharsets.UTF_8)));
        appender.close();
        return appender.seal();
    }

    @Test
    void what_is_no_seal_is_refused() {
        assertThatThrownBy(() -> new Seal(0, 1, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Seal(-1, 0, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Seal(0, 1, "0000000g")).isInstanceOf(IllegalArgumentException.class);
    }
}
