package io.github.switchover.jmeter.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.RecordedRun;
import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.engine.ResultTimes;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
import io.github.switchover.jmeter.recording.Recorder.WorkerSample;
import io.github.switchover.jmeter.run.ServerClocks;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.jmeter.samplers.SampleResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(JMeterHome.class)
class RecorderTest {

    private static final long LATE_US = 1_000_000;
    private static final Tree LOAD = Tree.of("timestamp_bound_ms", 0.5);

    @TempDir
    Path directory;

    private final Set<String> workers = new CopyOnWriteArraySet<>();
    private final ServerClocks servers = new ServerClocks();

    @Test
    void every_sample_of_many_threads_is_one_row_and_counts_once() throws InterruptedException {
        int threads = 16;
        int each = 2_000;
        Recorder recorder = open(Recorder.newBacklog());
        recorder.began("");
        List<Thread> users = new ArrayList<>();
        for (int user = 0; user < threads; user++) {
            String label = "request-" + user;
            users.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    recorder.record(Results.event(Results.good(label, "web" + i % 2)), "");
                }
            }));
        }
        users.forEach(Thread::start);
        for (Thread user : users) {
            user.join();
        }
        recorder.close();

        RecordedRun run = new RecordedRun(directory);
        assertThat(run.samples()).hasSize(threads * each);
        assertThat(run.counted()).isEqualTo((long) threads * each);
        for (int user = 0; user < threads; user++) {
            String label = "request-" + user;
            assertThat(run.samples().stream()
                            .filter(sample -> sample.request().label().equals(label)))
                    .hasSize(each);
        }
        JsonObject worker = run.load().getAsJsonArray("workers").get(0).getAsJsonObject();
        assertThat(worker.get("samples").getAsLong()).isEqualTo((long) threads * each);
        assertThat(worker.get("lost").getAsLong()).isZero();
        assertThat(worker.get("ended").getAsString()).isEqualTo("stopped");
        assertThat(run.load().get("state").getAsString()).isEqualTo("ended");
    }

    @Test
    void load_json_says_that_the_load_runs_until_it_has_ended() {
        Recorder recorder = open(Recorder.newBacklog());
        assertThat(new RecordedRun(directory).load().get("state").getAsString()).isEqualTo("running");
        recorder.close();
        assertThat(new RecordedRun(directory).load().get("state").getAsString()).isEqualTo("ended");
        recorder.close();
    }

    @Test
    void a_recorder_that_breaks_off_never_says_that_the_load_has_ended() {
        CountDownLatch asked = new CountDownLatch(1);
        Recorder recorder = Recorder.open(place(RunClock.ofProcess()), LOAD, () -> {
            if (asked.getCount() == 0) {
                return 1;
            }
            asked.countDown();
            throw new OutOfMemoryError("Java heap space");
        });
        recorder.began("");
        recorder.record(Results.event(Results.good("a", "web1")), "");
        assertThat(UninterruptedWait.await(asked, Units.ns(60))).isTrue();
        recorder.close();
        RecordedRun run = new RecordedRun(directory);
        assertThat(run.load().get("state").getAsString()).isEqualTo("running");
        assertThat(run.load().getAsJsonArray("warnings").toString())
                .contains("the load was not recorded to its end: java.lang.OutOfMemoryError: Java heap space");
        assertThat(run.samples()).hasSize(1);
    }

    @Test
    void what_a_stalled_disk_makes_it_refuse_is_counted_as_lost() {
        Recorder recorder = open(full());
        recorder.began("");
        recorder.record(Results.event(Results.good("a", "web1")), "");
        recorder.close();
        JsonObject load = new RecordedRun(directory).load();
        JsonObject worker = load.getAsJsonArray("workers").get(0).getAsJsonObject();
        assertThat(worker.get("samples").getAsLong()).isEqualTo(1);
        assertThat(worker.get("lost").getAsLong()).isEqualTo(1);
        assertThat(load.getAsJsonArray("warnings").toString())
                .contains("1 samples were not recorded: the disk is too slow");
    }

    @Test
    void times_are_on_the_runs_clock_within_half_a_millisecond() {
        RunClock clock = new RunClock(RunClock.ofProcess().anchorNs() + 3_600_000_000_000L);
        Recorder recorder = Recorder.open(place(clock), LOAD, () -> 1);
        recorder.began("");
        SampleResult result = new SampleResult();
        long beforeUs = clock.nowUs();
        result.sampleStart();
        long startedUs = clock.nowUs();
        java.util.concurrent.locks.LockSupport.parkNanos(3_000_000);
        long endingUs = clock.nowUs();
        result.sampleEnd();
        long afterUs = clock.nowUs();
        result.setSuccessful(true);
        recorder.record(Results.event(result), "");
        recorder.close();
        Sample sample = new RecordedRun(directory).samples().get(0);
        assertThat(sample.startUs()).isBetween(beforeUs - ResultTimes.BOUND_US, startedUs + ResultTimes.BOUND_US);
        assertThat(sample.endUs()).isBetween(endingUs - ResultTimes.BOUND_US, afterUs + ResultTimes.BOUND_US);
        assertThat(sample.endUs() - sample.startUs()).isEqualTo(result.getTime() * 1000);
    }

    @Test
    void a_server_that_sends_an_hour_of_samples_at_the_end_fills_the_seconds_in_which_they_ended() {
        Recorder recorder = open(Recorder.newBacklog());
        recorder.began("server:1099");
        long now = System.currentTimeMillis();
        for (int second = 3600; second > 0; second--) {
            long end = now - second * 1000L;
            recorder.record(Results.event(Results.at(Results.good("a", "web1"), end - 5, end)), "server:1099");
        }
        recorder.ended("server:1099");
        recorder.close();
        RecordedRun run = new RecordedRun(directory);
        assertThat(run.counted()).isEqualTo(3600);
        assertThat(run.points("switchover_requests")).hasSizeBetween(3599, 3600);
        assertThat(directory.resolve("samples-server-1099.jtl")).exists();
        assertThat(run.points("switchover_users"))
                .hasSizeBetween(3599, 3600)
                .allSatisfy(point -> assertThat(point.fields().get("active")).isEqualTo(FieldValue.of(7)));
    }

    @Test
    void the_times_of_a_server_are_put_right_by_its_clock() {
        servers.add("ahead", false, new ClockReading(7_000_000, 400));
        servers.add("ahead", true, new ClockReading(7_000_250, 300));
        Recorder recorder = open(Recorder.newBacklog());
        long now = System.currentTimeMillis();
        for (String server : List.of("ahead", "unknown")) {
            recorder.began(server);
            recorder.record(Results.event(Results.at(Results.good("a", "web1"), now, now)), server);
            recorder.ended(server);
        }
        recorder.close();
        RecordedRun run = new RecordedRun(directory);
        long rightUs = now * 1000 - 7_000_000 + ResultTimes.BOUND_US;
        assertThat(run.samples()).extracting(Sample::endUs).contains(rightUs);
        JsonObject load = run.load();
        assertThat(load.getAsJsonArray("workers").toString())
                .contains("\"offset_us\":7000000,\"bound_us\":400")
                .contains("\"offset_us\":null,\"bound_us\":null");
        assertThat(load.getAsJsonArray("clocks").toString())
                .isEqualTo("[{\"node\":\"ahead\",\"when\":\"before\",\"offset_us\":0,\"bound_us\":400,\"error\":null},"
                        + "{\"node\":\"ahead\",\"when\":\"after\",\"offset_us\":250,\"bound_us\":300,\"error\":null}]");
        assertThat(load.getAsJsonArray("warnings").toString())
                .contains("server unknown: its clock could not be compared")
                .doesNotContain("server ahead");
    }

    @Test
    void a_server_that_never_says_goodbye_is_lost() {
        Recorder recorder = open(Recorder.newBacklog());
        recorder.began("one");
        recorder.began("two");
        recorder.record(Results.event(Results.good("a", "web1")), "two");
        recorder.ended("one");
        recorder.close();
        JsonObject load = new RecordedRun(directory).load();
        assertThat(load.getAsJsonArray("workers")
                        .get(0)
                        .getAsJsonObject()
                        .get("ended")
                        .getAsString())
                .isEqualTo("stopped");
        assertThat(load.getAsJsonArray("workers")
                        .get(1)
                        .getAsJsonObject()
                        .get("ended")
                        .getAsString())
                .isEqualTo("lost");
        assertThat(load.getAsJsonArray("warnings").toString())
                .contains("server two stopped without reporting its end: 1 of");
    }

    @Test
    void a_directory_that_is_not_there_is_refused_in_one_line() {
        RunPlace missing = new RunPlace(
                directory.resolve("nowhere"),
                "run",
                IdentitySettings.DEFAULT,
                LATE_US,
                RunClock.ofProcess(),
                Set.of(),
                new ServerClocks());
        assertThatThrownBy(() -> Recorder.open(missing, LOAD, () -> 1))
                .isInstanceOf(SwitchoverException.class)
                .hasMessageContaining("No such file or directory");
    }

    private static BlockingQueue<WorkerSample> full() {
        return new LinkedBlockingQueue<>(1) {
            @Override
            public boolean offer(WorkerSample sample) {
                return false;
            }
        };
    }

    private Recorder open(BlockingQueue<WorkerSample> backlog) {
        return Recorder.open(place(RunClock.ofProcess()), LOAD, () -> 3, backlog);
    }

    private RunPlace place(RunClock clock) {
        return new RunPlace(directory, "run-1", IdentitySettings.DEFAULT, LATE_US, clock, workers, servers);
    }
}
