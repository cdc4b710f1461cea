package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.run.BudgetUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BudgetsTest {

    @ParameterizedTest
    @MethodSource("cases")
    void budget_is_read_as_the_vectors_say(Map<String, Object> vector) {
        String text = (String) vector.get("text");
        if (Boolean.TRUE.equals(vector.get("error"))) {
            assertThatThrownBy(() -> Budgets.parse(text))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining("budget '")
                    .hasMessageNotContaining("\n");
            return;
        }
        Budget budget = Budgets.parse(text);
        assertThat(budget.name().label()).isEqualTo(vector.get("name"));
        assertThat(budget.limit()).isCloseTo((Double) vector.get("limit"), within(1e-12));
        assertThat(Json.tree(budget.unit()).getAsString()).isEqualTo(vector.get("unit"));
        assertThat(budget).hasToString((String) vector.get("printed"));
    }

    @Test
    void what_is_written_is_read_again() {
        Random random = new Random(29);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder();
            random.ints(random.nextInt(12), 0, 14).forEach(i -> text.append("late=0123.5% s".charAt(i)));
            try {
                Budget budget = Budgets.parse((random.nextBoolean() ? "outage=" : "late=") + text);
                assertThat(Budgets.parse(budget.toString()).name()).isEqualTo(budget.name());
            } catch (UsageException refused) {
                assertThat(refused).hasMessageNotContaining("\n");
            }
        }
    }

    @Test
    void the_default_holds_only_where_it_is_witnessed_and_not_asked_for() {
        List<Budget> asked = List.of(Budgets.parse("split-brain=2s"));
        assertThat(Budgets.withDefaults(asked, true)).isEqualTo(asked);
        assertThat(Budgets.withDefaults(List.of(), false)).isEmpty();
        assertThat(Budgets.withDefaults(List.of(), true))
                .containsExactly(new Budget(Budget.Name.SPLIT_BRAIN, 0, BudgetUnit.MILLISECONDS, true));
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("budgets.json", "cases");
    }
}
