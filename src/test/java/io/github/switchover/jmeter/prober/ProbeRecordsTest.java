package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Head;
import io.github.switchover.jmeter.prober.Schedule.Rate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeRecordsTest {

    private static final long SECOND_US = 1_700_000_000_000_000L;

    @TempDir
    Path directory;

    @Test
    void probe_is_a_line_of_the_sample_log_and_part_of_a_point() throws IOException {
        Path probes = directory.resolve("probes.jtl");
        Path journal = directory.resolve("journal-prober.lp");
        ProbeRecords records = new ProbeRecords(probes, journal, "run1", "", "http://user:secret@vip/page?token=abc");
        try (records) {
            records.take(List.of(good(), refused()));
            assertThat(Files.readAllLines(probes)).hasSize(3);
            records.secondPassed(SECOND_US + 1_000_000);
            assertThat(Files.readAllLines(journal)).hasSize(2);
            assertThat(records.lost()).isZero();
            assertThat(records.warning()).isNull();
            records.take(List.of(refused()));
        }
        assertThat(records.seals()).containsOnlyKeys("probes.jtl", "journal-prober.lp");
        records.take(List.of(good()));
        records.secondPassed(SECOND_US + 1_000_000);
        assertThat(records.lost()).isOne();
        assertThat(Files.readAllLines(journal)).hasSize(3);
        List<String> rows = Files.readAllLines(probes);
        assertThat(rows.get(1))
                .isEqualTo("1700000000000,1,probe,200,OK,fresh,text,true,,120,80,1,1,http://vip/page?token=***,1,0,0,"
                        + "web1,lb1,backend,,1,fresh,abcd,1700000000000000,1700000000000100,1700000000001300");
        assertThat(rows.get(2))
                .isEqualTo("1700000000001,0,probe,,,fresh,text,false,Connection refused,0,0,1,1,"
                        + "http://vip/page?token=***,0,0,0,,,none,refused,1,fresh,,"
                        + "1700000000001000,1700000000001050,1700000000001150");
        List<String> points = Files.readAllLines(journal);
        assertThat(points.get(0))
                .startsWith("switchover_probes,answered_by=backend,backend=web1,balancer=lb1,outcome=good,run=run1,"
                        + "stream=fresh count=1i,bytes=120i,rt_sum=1.300,");
        assertThat(points.get(1))
                .startsWith("switchover_probes,answered_by=none,error=refused,outcome=failed,run=run1,stream=fresh "
                        + "count=1i,bytes=0i,rt_sum=0.150,");
    }

    @Test
    void account_counts_each_outcome_and_the_slots_that_were_given_up() {
        Schedule schedule = new Schedule(0, Rate.of(1000), 1_000_000);
        ProbeAccount account = new ProbeAccount(schedule);
        assertThat(account.figures(0).whole("first_due_us")).isNull();
        for (int slot = 0; slot < 6; slot++) {
            schedule.take();
        }
        schedule.giveUpStale(8_000_000);
        for (Outcome outcome : Outcome.values()) {
            account.conclude(new ProbeResult(0, 50, 150, outcome, refused().attempt()));
        }
        assertThat(account.progress()).isEqualTo(new Prober.ProberProgress(6, 1, 1, 1, 2, FailureKind.REFUSED));
        Tree figures = account.figures(0);
        assertThat(List.of(figures.whole("scheduled"), figures.whole("recorded"), figures.whole("unsent")))
                .containsExactly(7L, 4L, 1L);
        assertThat(figures.array("gaps")).hasToString("[[6000,7000]]");
        assertThat(figures.number("lag_max_ms")).isEqualTo(0.06);
        assertThat(List.of(figures.whole("first_due_us"), figures.whole("last_due_us")))
                .containsExactly(0L, 6000L);
    }

    private static ProbeResult good() {
        Identity web1 = new Identity("web1", "lb1", AnsweredBy.BACKEND);
        Attempt attempt = new Attempt(
                new Attempt.AttemptTimes(1_000_000, 1_100_000, 1_300_000, 1_300_000, 1_400_000, 2_200_000, 2_300_000),
                false,
                new Attempt.AttemptBytes(120, 80),
                new Head(200, "OK", new Head.Framing(2, false), web1, "abcd", "", ""),
                new byte[0],
                null,
                "");
        return new ProbeResult(SECOND_US, SECOND_US + 100, SECOND_US + 1300, Outcome.GOOD, attempt);
    }

    private static ProbeResult refused() {
        Attempt attempt = new Attempt(
                new Attempt.AttemptTimes(1_000_000, 1_050_000, 0, 0, 0, 0, 1_150_000),
                false,
                new Attempt.AttemptBytes(0, 0),
                Head.NONE,
                new byte[0],
                FailureKind.REFUSED,
                "Connection refused");
        return new ProbeResult(SECOND_US + 1000, SECOND_US + 1050, SECOND_US + 1150, Outcome.FAILED, attempt);
    }
}
