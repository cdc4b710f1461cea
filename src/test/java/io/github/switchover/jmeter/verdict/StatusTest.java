package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StatusTest {

    @Test
    void the_words_and_their_exit_codes_are_those_that_were_agreed() {
        List<List<Object>> found = Arrays.stream(Status.values())
                .map(status -> List.<Object>of(status.text(), (long) status.exitCode()))
                .toList();
        assertThat(found)
                .isEqualTo(rows("statuses", "verdict", "exit_code").stream()
                        .filter(row -> !Vectors.WORDS_OF_REPORT.contains(row.get(0)))
                        .toList());
    }

    @Test
    void the_reasons_are_those_that_were_agreed() {
        List<List<Object>> found = Arrays.stream(ReasonCode.values())
                .map(code -> List.<Object>of(code.label(), code.status().text()))
                .toList();
        assertThat(found)
                .isEqualTo(rows("reasons", "code", "verdict").stream()
                        .filter(row -> !Vectors.CODES_OF_REPORT.contains(row.get(0)))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void the_loudest_reason_makes_the_word(Map<String, Object> vector) {
        List<VerdictReason> reasons = ((List<?>) vector.get("reasons"))
                .stream()
                        .map(code -> new VerdictReason(
                                ReasonCode.valueOf(((String) code).toUpperCase(Locale.ROOT)), Tree.EMPTY, ""))
                        .toList();
        Status fine = (Boolean) vector.get("dry_run")
                ? Status.DRY_RUN
                : (Boolean) vector.get("limit_given") ? Status.PASSED : Status.MEASURED;
        Verdict verdict = new Verdict(fine, reasons, List.of(), List.of(), Tree.EMPTY);
        assertThat(verdict.status().text()).isEqualTo(vector.get("verdict"));
        assertThat((long) verdict.exitCode()).isEqualTo(vector.get("exit_code"));
        assertThat(verdict.tree().is("valid")).isEqualTo(vector.get("valid"));
        assertThat(verdict.notWritten("no disk").reasonTexts())
                .hasSize(reasons.size() + 1)
                .contains("no disk");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("statuses.json", "cases")
                .filter(vector -> Vectors.CODES_OF_REPORT.stream()
                        .noneMatch(((List<?>) vector.getPayload().get("reasons"))::contains));
    }

    private static List<List<Object>> rows(String table, String... columns) {
        return ((List<?>) Contract.file("statuses.json").get(table))
                .stream()
                        .map(Contract::map)
                        .map(row -> Arrays.stream(columns).map(row::get).toList())
                        .toList();
    }
}
