package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.prober.ProbeAccount.Lags;
import io.github.switchover.jmeter.prober.Schedule.Alarm;
import io.github.switchover.jmeter.prober.Schedule.Rate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The prober's grid and its send lag, as both languages reckon them. */
class ScheduleContractTest {

    @ParameterizedTest
    @VectorSource(file = "schedule.json", table = "rates")
    void rate_makes_the_grid_that_was_agreed(JsonObject vector) {
        Rate rate = Rate.of(vector.get("rate").getAsDouble());
        assertThat(rate)
                .isEqualTo(new Rate(
                        vector.get("numerator").getAsLong(),
                        vector.get("denominator").getAsLong()));
        assertThat(rate.perSecond()).isCloseTo(vector.get("rate").getAsDouble(), within(1e-9));
        Schedule schedule = new Schedule(vector.get("t0_ns").getAsLong(), rate, 1);
        for (JsonElement due : vector.getAsJsonArray("due_ns")) {
            JsonArray pair = due.getAsJsonArray();
            assertThat(schedule.dueNs(pair.get(0).getAsLong()))
                    .isEqualTo(pair.get(1).getAsLong());
        }
        for (JsonElement due : vector.getAsJsonArray("first")) {
            assertThat(schedule.take()).isEqualTo(due.getAsLong());
        }
    }

    @ParameterizedTest
    @VectorSource(file = "schedule.json", table = "walks")
    void slots_are_taken_or_given_up_as_agreed(JsonObject vector) {
        Schedule schedule = new Schedule(
                vector.get("t0_ns").getAsLong(),
                Rate.of(vector.get("rate").getAsDouble()),
                vector.get("stale_ns").getAsLong());
        for (JsonElement element : vector.getAsJsonArray("steps")) {
            JsonObject step = element.getAsJsonObject();
            long nowNs = step.get("now_ns").getAsLong();
            schedule.giveUpStale(nowNs);
            List<Long> taken = new ArrayList<>();
            while (taken.size() < step.get("sends").getAsInt() && schedule.nextDueNs() <= nowNs) {
                taken.add(schedule.take());
            }
            assertThat(taken).isEqualTo(longs(step.getAsJsonArray("taken")));
            assertThat(schedule.scheduled()).isEqualTo(step.get("scheduled").getAsLong());
            assertThat(schedule.unsent()).isEqualTo(step.get("unsent").getAsLong());
            assertThat(schedule.nextDueNs()).isEqualTo(step.get("next_due_ns").getAsLong());
        }
        List<List<Long>> gaps = new ArrayList<>();
        vector.getAsJsonArray("gaps").forEach(gap -> gaps.add(longs(gap.getAsJsonArray())));
        assertThat(schedule.gaps().stream().map(gap -> List.of(gap.fromNs(), gap.toNs())))
                .isEqualTo(gaps);
    }

    @ParameterizedTest
    @VectorSource(file = "schedule.json", table = "lags")
    void lags_have_the_percentiles_that_were_agreed(JsonObject vector) {
        Lags lags = new Lags();
        longs(vector.getAsJsonArray("lags_ns")).forEach(lags::add);
        assertThat(lags.percentileMs(50)).isEqualTo(number(vector.get("p50")));
        assertThat(lags.percentileMs(99)).isEqualTo(number(vector.get("p99")));
        assertThat(lags.percentileMs(100)).isEqualTo(number(vector.get("max")));
    }

    @Test
    void host_that_never_keeps_up_fills_no_memory() {
        Schedule schedule = new Schedule(0, Rate.of(1000), 1_000_000);
        long nowNs = 0;
        for (int i = 0; i < 3 * Schedule.GAPS_LIMIT; i++) {
            nowNs += 10_000_000;
            schedule.giveUpStale(nowNs);
            schedule.take();
        }
        assertThat(schedule.gaps()).hasSize(Schedule.GAPS_LIMIT);
        assertThat(schedule.gaps().get(Schedule.GAPS_LIMIT - 1).toNs()).isLessThanOrEqualTo(nowNs);
    }

    @Test
    void alarm_wakes_when_a_slot_is_due_and_its_stop_ends_its_wait() throws InterruptedException {
        long dueNs = System.nanoTime() + 50_000_000;
        List<Long> wokenNs = new CopyOnWriteArrayList<>();
        Alarm alarm = new Alarm(new Schedule(dueNs, Rate.of(0.01), 1), () -> wokenNs.add(System.nanoTime()));
        Thread thread = new Thread(alarm);
        thread.start();
        Until.reached(() -> !wokenNs.isEmpty());
        alarm.stop();
        thread.join(10_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(wokenNs).singleElement().satisfies(atNs -> assertThat(atNs).isGreaterThanOrEqualTo(dueNs));
    }

    private static List<Long> longs(JsonArray array) {
        return Contract.stream(array).map(JsonElement::getAsLong).toList();
    }

    private static Double number(JsonElement value) {
        return value.isJsonNull() ? null : (Double) value.getAsDouble();
    }
}
