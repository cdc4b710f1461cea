package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

class SealTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @VectorSource(file = "seals.json", table = "files")
    void a_file_is_compared_with_its_seals_as_in_python(Map<String, Object> vector) throws IOException {
        Path path = folder.resolve("journal.lp");
        StringBuilder text = new StringBuilder();
        for (Object part : (List<?>) vector.get("text")) {
            List<?> repeated = (List<?>) part;
            text.append(((String) repeated.get(0)).repeat(((Long) repeated.get(1)).intValue()));
        }
        Files.writeString(path, text);
        List<Seal> seals = ((List<?>) vector.get("seals"))
                .stream().map(seal -> Json.read(Json.line(seal), Seal.class)).toList();
        Assumptions.assumeTrue(seals.stream().allMatch(Seal::isOne), "a seal of an earlier version");
        assertThat(Seal.isAsSealed(path, seals, (Boolean) vector.get("may_grow")))
                .isEqualTo(vector.get("damage") == null);
    }

    @Test
    void a_writer_seals_its_file_and_a_later_writer_what_it_added() {
        Path path = folder.resolve("journal.lp");
        Seal first = written(path);
        Seal second = written(path);
        assertThat(second.fromByte()).isEqualTo(first.bytes());
        assertThat(Seal.isAsSealed(path, List.of(second, first), false)).isTrue();
        assertThat(Seal.isAsSealed(path, List.of(second), true)).isFalse();
    }

    private static Seal written(Path path) {
        Appender appender = new Appender(path, new byte[0]);
        appender.append(List.of("line\n".repeat(20_000).getBytes(StandardCharsets.UTF_8)));
        appender.close();
        return appender.seal();
    }
}
