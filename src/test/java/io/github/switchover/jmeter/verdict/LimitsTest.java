package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import io.github.switchover.jmeter.verdict.Outage.Gap;
import io.github.switchover.jmeter.verdict.RunData.RunFiles;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitsTest {

    @ParameterizedTest
    @MethodSource("cases")
    void limit_is_read_as_the_vectors_say(Map<String, Object> vector) {
        String text = (String) vector.get("text");
        if (vector.containsKey("error")) {
            assertThatThrownBy(() -> Limit.parse(text))
                    .isInstanceOf(UsageException.class)
                    .hasMessage((String) vector.get("error"));
            return;
        }
        Limit limit = Limit.parse(text);
        assertThat(limit.name().label()).isEqualTo(vector.get("name"));
        assertThat(limit.limit()).isCloseTo((Double) vector.get("limit"), within(1e-12));
        assertThat(limit.unit()).isEqualTo(vector.get("unit"));
        assertThat(limit.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"outage=usual", "failback = usual+20%", "unaccounted=0", "lost=0", "lossy=1%@95", "delay=5s"})
    void a_limit_that_only_the_report_checks_is_refused_and_in_a_run_it_is_open(String text) {
        assertThatThrownBy(() -> Limit.parse(text))
                .isInstanceOf(UsageException.class)
                .hasMessage(
                        "limit '" + text + "': JMeter alone cannot check this limit: pass it to 'switchover report'");
        assertThat(Limit.all(List.of(text))).extracting(Limit::limit).containsOnlyNulls();
        assertThatThrownBy(() -> Limit.all(List.of("outages=5s"))).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @MethodSource("judged")
    void a_limit_is_judged_as_the_vectors_say(Map<String, Object> vector) {
        Limit limit = Limit.parse((String) vector.get("asked"));
        boolean isCutShort = !((String) vector.get("truncated")).isEmpty();
        LimitResult result = LimitCheck.ofOutage(limit, outage(Contract.map(vector.get("outage"))), isCutShort);
        if (isCutShort && result.state() == Limit.LimitResult.LimitState.INCONCLUSIVE) {
            assertThat(vector.get("state")).isEqualTo("inconclusive");
            return;
        }
        assertThat(result.tree().number("low")).isEqualTo(number(vector.get("low")));
        assertThat(result.tree().number("high")).isEqualTo(number(vector.get("high")));
        assertThat(result.state().text()).isEqualTo(vector.get("state"));
        assertThat(result.note()).isEqualTo(vector.get("note"));
        assertThat(result.figureText()).isEqualTo(vector.get("printed"));
    }

    /** JMeter prints at most two decimals of a share, and none of 100 ms or more. */
    @ParameterizedTest
    @MethodSource("figures")
    void a_figure_is_compared_and_printed_as_the_vectors_say(Map<String, Object> vector) {
        Limit limit = Limit.parse((String) vector.get("asked"));
        LimitResult result = figure(vector, limit) == null
                ? limit.unmeasured((String) vector.get("note"))
                : limit.against(figure(vector, limit), (String) vector.get("note"));
        assertThat(result.state().text()).isEqualTo(vector.get("state"));
        assertThat(result.figureText()).isEqualTo(vector.get("printed"));
        assertThat(result.tree().number("low")).isEqualTo(number(vector.get("low")));
        assertThat(result.tree().number("high")).isEqualTo(number(vector.get("high")));
    }

    private static Interval figure(Map<String, Object> vector, Limit limit) {
        if (vector.get("figure") instanceof List<?> bounds) {
            return new Interval(number(bounds.get(0)), number(bounds.get(1)));
        }
        Map<String, Object> count = Contract.map(vector.get("count"));
        double total = number(count.get("total"));
        double value = number(count.get("number")) / ("share".equals(limit.unit()) ? total : 1);
        return total == 0 ? null : new Interval(value, value);
    }

    @Test
    void a_limit_on_lost_or_absent_data_is_open_and_says_why() {
        RunData run = Vectors.run(Contract.plain("verdicts.json", "cases")
                .findFirst()
                .orElseThrow()
                .getPayload());
        RunData empty = new RunData(Run.named("r", "n"), List.of(), List.of(), List.of(), List.of(), RunFiles.WHOLE);
        Map<String, String> damage = Map.of("probes.jtl", "is cut off");
        RunData damaged = new RunData(
                empty.run(), List.of(), List.of(), List.of(), List.of(), new RunFiles(List.of(), damage, List.of()));
        Map<String, String> other = Map.of("journal.lp", "is cut off");
        RunData otherFile = new RunData(
                empty.run(), List.of(), List.of(), List.of(), List.of(), new RunFiles(List.of(), other, List.of()));
        Ignored ignored = new Ignored();
        ignored.add("half a row");
        RunData unread =
                new RunData(run.run(), run.probes(), run.samples(), run.points(), List.of(ignored), run.files());
        String none = "no probe was recorded";
        assertThat(notes(empty))
                .containsExactly(none, none, "the run has no switchover phase", "the run has no request");
        assertThat(notes(damaged)).containsOnly("probes.jtl is cut off: it is not used");
        assertThat(notes(otherFile)).isEqualTo(notes(empty));
        assertThat(notes(unread).subList(2, 4)).containsOnly("1 lines of the run directory could not be read");
    }

    @ParameterizedTest
    @CsvSource({"2, 2, true", "2, 1, false", "1, 1, false", "0, 0, false"})
    void split_brain_is_limited_if_each_of_two_balancers_has_an_ownership_source(
            int balancers, int observed, boolean isLimited) {
        List<Tree> nodes = IntStream.range(0, balancers)
                .mapToObj(number -> Tree.of("name", "lb" + number, "role", "balancer", "vip_owner", number < observed))
                .toList();
        Run run = Run.named("r", "n").with("target", Tree.of("nodes", nodes));
        String unmeasured = "a balancer had no VIP ownership source for a part of the run";
        assertThat(new LimitCheck(RunCourse.of(Vectors.data(run)), null).check(List.of()))
                .extracting(LimitResult::note)
                .isEqualTo(isLimited ? List.of(unmeasured) : List.of());
    }

    private static List<String> notes(RunData data) {
        List<Limit> limits = Limit.all(List.of("outage=5s", "failback=5s", "failed=0", "failed-total=0"));
        return new LimitCheck(RunCourse.of(data), null)
                .check(limits).stream().limit(4).map(LimitResult::note).toList();
    }

    private static Outage outage(Map<String, Object> values) {
        List<Gap> laterGaps = ((List<?>) values.get("later_gaps"))
                .stream().map(List.class::cast).map(LimitsTest::later_gap).toList();
        return new Outage(
                Outage.Kind.valueOf(((String) values.get("kind")).toUpperCase(Locale.ROOT)),
                new Outage.AwayTime(
                        Vectors.whole(values.get("duration_us")), Vectors.whole(values.get("early_us")), (Boolean)
                                values.get("censored")),
                List.of(),
                laterGaps,
                values.get("interval_us") == null ? null : (Double) (1e6 / number(values.get("interval_us"))),
                new Span(0, Vectors.whole(values.get("detection_limit_us"))));
    }

    private static Gap later_gap(List<?> values) {
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
        return Contract.plain("limits.json", "judged")
                .filter(vector -> vector.getPayload().containsKey("outage")
                        && !((String) vector.getPayload().get("asked")).contains("usual"));
    }

    static Stream<Named<Map<String, Object>>> figures() {
        return Contract.plain("limits.json", "judged").filter(named -> {
            Map<String, Object> vector = named.getPayload();
            boolean isRead = !vector.containsKey("count")
                    || number(Contract.map(vector.get("count")).get("unread")) == 0;
            return isRead
                    && !vector.containsKey("outage")
                    && !((String) vector.get("asked")).matches("(?:unaccounted|delay)=.*");
        });
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("limits.json", "cases")
                .filter(vector -> !((String) vector.getPayload().get("text"))
                        .matches("(?:unaccounted|lost|lossy|delay).*|(?:outage|failback)\\s*=.*usual.*"));
    }
}
