package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.BudgetState;
import io.github.switchover.jmeter.run.ChangeFigures;
import io.github.switchover.jmeter.run.ChangeFigures.ChangeLosses;
import io.github.switchover.jmeter.run.ChangeFigures.FeltChange;
import io.github.switchover.jmeter.run.ChangeFigures.KindDelay;
import io.github.switchover.jmeter.run.ChangeFigures.KindFigures;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.ProportionBounds;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChangeTallyTest {

    private static final int LABEL = 4;
    private static final long FIRST = 10_000_000;
    private static final int INTENDED = 5;

    @ParameterizedTest
    @MethodSource("cases")
    void samples_belong_to_changes_as_the_vectors_say(Map<String, Object> vector) {
        ChangeFigures found = tally(vector).figures();
        KindFigures kind = found.kinds().get(0);
        Map<String, Object> expected = new LinkedHashMap<>();
        expected.put("exposed", kind.losses().exposed());
        expected.put("lost", kind.losses().lost());
        expected.put("lost_elsewhere", kind.losses().lostElsewhere());
        expected.put("lossy", (long) kind.share().lossy());
        expected.put("lossy_low", kind.share().lossyLow());
        expected.put("lossy_high", kind.share().lossyHigh());
        expected.put("reset", kind.reset());
        expected.put("generator_errors", kind.generatorErrors());
        Map<String, Object> felt = new LinkedHashMap<>();
        found.byChange()
                .forEach(change -> felt.put(
                        String.valueOf(change.times().number()),
                        List.of(change.felt().get("samples").exposed(), change.lost())));
        expected.put("felt", felt);
        assertThat(Contract.values(expected)).isEqualTo(Contract.values(vector.get("expect")));
        assertThat(found.lost()).isEqualTo(kind.losses().lost());
    }

    @ParameterizedTest
    @MethodSource("waits")
    void waits_are_held_against_those_between_the_changes_as_the_vectors_say(Map<String, Object> vector) {
        ChangeFigures found = tally(vector).figures();
        KindDelay delay = found.kinds().get(0).delay();
        Map<String, Object> expected = new LinkedHashMap<>();
        expected.put("delay_longest_ms", delay.delayLongestMs());
        expected.put("delay_between_low_ms", delay.delayBetweenLowMs());
        expected.put("delay_between_high_ms", delay.delayBetweenHighMs());
        expected.put("delay_caused_low_ms", delay.delayCausedLowMs());
        expected.put("delay_caused_high_ms", delay.delayCausedHighMs());
        expected.put(
                "caused",
                Arrays.asList(found.delay().delayLowMs(), found.delay().delayHighMs()));
        Map<String, Object> felt = new LinkedHashMap<>();
        for (ChangeLosses change : found.byChange()) {
            FeltChange samples = change.felt().get("samples");
            felt.put(String.valueOf(change.times().number()), Arrays.asList(samples.longestMs(), samples.delayed()));
        }
        expected.put("felt", felt);
        assertThat(Contract.values(expected)).isEqualTo(Contract.values(vector.get("expect")));
    }

    @ParameterizedTest
    @MethodSource("waits")
    void budgets_are_held_against_changes_as_the_vectors_say(Map<String, Object> vector) {
        ChangeFigures changes = tally(vector).figures();
        for (Object row : (List<?>) vector.get("budgets")) {
            Map<String, Object> asked = Contract.map(row);
            Budget budget = Budgets.parse((String) asked.get("budget"));
            BudgetResult result = Measured.ofChanges(budget, changes, Vectors.whole(asked.get("unread")));
            Map<String, Object> found = new LinkedHashMap<>();
            found.put("budget", asked.get("budget"));
            found.put("unread", asked.get("unread"));
            found.put("low", result.low());
            found.put("high", result.high());
            found.put("state", result.state().text());
            found.put("note", result.note());
            found.put("printed", result.figureText());
            found.put("limit", result.limitText());
            found.put("written", result.text());
            assertThat(Contract.values(found)).isEqualTo(Contract.values(asked));
        }
    }

    @Test
    void without_a_change_a_budget_of_changes_is_unmeasured() {
        for (String text : List.of("lost=0", "lossy=1%@95", "delay=50ms")) {
            assertThat(Measured.ofChanges(Budgets.parse(text), null, 0).state()).isEqualTo(BudgetState.UNMEASURED);
        }
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void bounds_are_as_the_vectors_say(Map<String, Object> vector) {
        ProportionBounds found = ProportionBounds.of(
                (int) Vectors.whole(vector.get("number")), (int) Vectors.whole(vector.get("total")), 0.95);
        assertThat(found.low()).isCloseTo(((Number) vector.get("low")).doubleValue(), within(1e-6));
        assertThat(found.high()).isCloseTo(((Number) vector.get("high")).doubleValue(), within(1e-6));
    }

    @Test
    void nothing_is_told_without_changes_or_without_samples() {
        ChangeTally without = new ChangeTally(List.of());
        without.add(Vectors.sample(1, 2, null, null, "fresh"));
        assertThat(without.figures()).isNull();
        ChangeRun made = ChangeRun.made(1, new ChangeRun.Making(1L, 2L, 3L, 4L), null);
        assertThat(new ChangeTally(List.of(made)).figures()).isNull();
    }

    @Test
    void the_label_is_shown_that_a_change_delayed_most_for_certain_and_of_equals_the_most_common_one() {
        ChangeTally tally = new ChangeTally(List.of(made(List.of())));
        addBetween(tally, "certain", 101, 1000, 1000);
        addBetween(tally, "perhaps", 102, 1000, 90_000);
        tally.add(request("certain", FIRST, 100_000));
        tally.add(request("perhaps", FIRST, 150_000));
        assertThat(shown(tally).delayLongestMs()).isEqualTo(100.0);
        ChangeTally equals = new ChangeTally(List.of(made(List.of())));
        addBetween(equals, "rare", 100, 20, 300);
        addBetween(equals, "common", 101, 20, 200);
        equals.add(request("rare", FIRST, 100));
        equals.add(request("common", FIRST, 100));
        assertThat(shown(equals).delayBetweenHighMs()).isEqualTo(0.2);
    }

    @Test
    void changes_after_which_old_processes_stayed_are_counted() {
        ChangeTally tally = new ChangeTally(List.of(made(List.of("123")), made(List.of()), made(List.of("4", "5"))));
        tally.add(request("", 0, 1));
        assertThat(tally.figures().staying()).isEqualTo(2);
    }

    private static KindDelay shown(ChangeTally tally) {
        return tally.figures().kinds().get(0).delay();
    }

    private static ChangeRun made(List<String> staying) {
        ChangeRun.Making making = new ChangeRun.Making(FIRST, FIRST + 1, FIRST + 2, FIRST + 3);
        return new ChangeRun(1, making, new ChangeRun.Undoing(null, null, null), staying, null, null);
    }

    /** Of which the slower half took longer. */
    private static void addBetween(ChangeTally tally, String label, int number, long quickUs, long slowUs) {
        for (int at = 0; at < number; at++) {
            tally.add(request(label, at, at < number / 2 ? quickUs : slowUs));
        }
    }

    private static Sample request(String label, long startUs, long tookUs) {
        return sample(List.of(startUs, startUs + tookUs, true, "", label));
    }

    private static ChangeTally tally(Map<String, Object> vector) {
        ChangeTally tally = new ChangeTally(changes(vector));
        for (Object row : (List<?>) vector.get("samples")) {
            tally.add(sample((List<?>) row));
        }
        return tally;
    }

    static List<ChangeRun> changes(Map<String, Object> vector) {
        return ((List<?>) vector.get("changes"))
                .stream().map(change -> change((Map<?, ?>) change)).toList();
    }

    private static ChangeRun change(Map<?, ?> vector) {
        ChangeRun.Making making = new ChangeRun.Making(
                whole(vector, "from_us"),
                whole(vector, "to_us"),
                whole(vector, "confirmed_us"),
                whole(vector, "settled_us"));
        return ChangeRun.made((int) Vectors.whole(vector.get("number")), making, null)
                .undone(new ChangeRun.Undoing(whole(vector, "undo_from_us"), null, whole(vector, "undone_us")));
    }

    private static Long whole(Map<?, ?> vector, String key) {
        return vector.get(key) == null ? null : (Long) Vectors.whole(vector.get(key));
    }

    private static Sample sample(List<?> row) {
        Sample sample = Vectors.sample(
                Vectors.whole(row.get(0)),
                Vectors.whole(row.get(1)),
                row.size() > INTENDED ? (Long) row.get(INTENDED) : null,
                FailureKind.of((String) row.get(3)),
                "fresh");
        return new Sample(
                sample.times(),
                new SampleRequest(row.size() > LABEL ? (String) row.get(LABEL) : "", "", 1, "fresh", ""),
                new SampleAnswer((Boolean) row.get(2), sample.error(), "", "", "", 0, 0),
                sample.identity(),
                sample.client());
    }

    private static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("changes.json", "cases");
    }

    private static Stream<Named<Map<String, Object>>> waits() {
        return Contract.plain("changes.json", "waits");
    }

    private static Stream<Named<Map<String, Object>>> bounds() {
        return Contract.plain("changes.json", "bounds");
    }
}
