package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.target.TargetFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is known of a target file and its limits before a run, in the words that Python has for it. */
class KnownProblemsTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("cases")
    void what_is_known_is_said_as_agreed(Map<String, Object> vector) throws IOException {
        Path file = Files.writeString(folder.resolve("target.toml"), (String) vector.get("text"));
        List<String> limits = ((List<?>) vector.get("limits"))
                .stream().map(String.class::cast).toList();
        assertThat(KnownProblems.find(TargetFile.load(file), limits)).isEqualTo(vector.get("problems"));
    }

    /** Changes are made by Python alone. */
    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("known_problems.json", "cases")
                .filter(vector -> !((String) vector.getPayload().get("text")).contains("[change."));
    }
}
