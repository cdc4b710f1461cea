package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.BudgetUnit;
import io.github.switchover.jmeter.run.OutageKind;
import java.util.List;
import java.util.Locale;
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
        if (vector.containsKey("error")) {
            assertThatThrownBy(() -> Budgets.parse(text))
                    .isInstanceOf(UsageException.class)
                    .hasMessage((String) vector.get("error"));
            return;
        }
        Budget budget = Budgets.parse(text);
        assertThat(budget.name().label()).isEqualTo(vector.get("name"));
        if (vector.get("limit") == null) {
            assertThat(budget.limit()).isNull();
        } else {
            assertThat(budget.limit()).isCloseTo((Double) vector.get("limit"), within(1e-12));
        }
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
        assertThat(Budgets.withDefaults(asked, true, false)).isEqualTo(asked);
        assertThat(Budgets.withDefaults(List.of(), false, false)).isEmpty();
        assertThat(Budgets.withDefaults(List.of(), true, false))
                .containsExactly(new Budget(Budget.Name.SPLIT_BRAIN, 0, BudgetUnit.MILLISECONDS, true));
    }

    @Test
    void before_a_run_it_is_said_that_what_is_usual_is_not_known_here() {
        assertThat(Budgets.parse("outage=usual+20%").warning())
                .contains(
                        "budget outage=usual: what is usual is told by 'switchover report', from the runs beside this "
                                + "one; JMeter's own word is UNDECIDED");
        assertThat(Budgets.parse("outage=5s").warning()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("judged")
    void a_budget_is_judged_as_the_vectors_say(Map<String, Object> vector) {
        Budget budget = Budgets.parse((String) vector.get("budget"));
        BudgetResult result = result(budget, vector);
        assertThat(result.low()).isEqualTo(number(vector.get("low")));
        assertThat(result.high()).isEqualTo(number(vector.get("high")));
        assertThat(result.state().text()).isEqualTo(vector.get("state"));
        assertThat(result.note()).isEqualTo(vector.get("note"));
        assertThat(result.figureText()).isEqualTo(vector.get("printed"));
        assertThat(result.limitText()).isEqualTo(vector.get("limit"));
    }

    private static BudgetResult result(Budget budget, Map<String, Object> vector) {
        if (vector.containsKey("outage")) {
            Outage outage = outage(Contract.map(vector.get("outage")));
            return Measured.judge(budget, outage, (String) vector.get("truncated"));
        }
        if (vector.containsKey("count")) {
            Map<String, Object> count = Contract.map(vector.get("count"));
            return Measured.count(
                    budget,
                    Vectors.whole(count.get("number")),
                    Vectors.whole(count.get("total")),
                    Vectors.whole(count.get("unread")),
                    "no request");
        }
        List<?> figure = (List<?>) vector.get("figure");
        return budget.against(new Interval(number(figure.get(0)), number(figure.get(1))), "");
    }

    private static Outage outage(Map<String, Object> values) {
        List<Gap> strays = ((List<?>) values.get("strays"))
                .stream().map(List.class::cast).map(BudgetsTest::stray).toList();
        return new Outage(
                OutageKind.valueOf(((String) values.get("kind")).toUpperCase(Locale.ROOT)),
                new Outage.AwayTime(
                        Vectors.whole(values.get("duration_us")), Vectors.whole(values.get("early_us")), (Boolean)
                                values.get("censored")),
                List.of(),
                strays,
                new Outage.Losses(null, number(values.get("interval_us"))),
                new Span(0, Vectors.whole(values.get("resolution_us"))));
    }

    private static Gap stray(List<?> values) {
        long durationUs = Vectors.whole(values.get(0));
        return new Gap(
                new Span(0, durationUs),
                new Span(0, 0),
                new Gap.Impaired(1, 0, 0),
                Vectors.whole(values.get(1)),
                0,
                (Boolean) values.get(2));
    }

    private static Double number(Object value) {
        return value == null ? null : (Double) ((Number) value).doubleValue();
    }

    static Stream<Named<Map<String, Object>>> judged() {
        return Contract.plain("budgets.json", "judged");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("budgets.json", "cases");
    }
}
