package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.engine.ExpectedElements;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.TargetFile;
import io.github.switchover.jmeter.verdict.ReasonCode;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose run it is, when it begins, and when it ends. */
class RunsTest {

    @TempDir
    Path place;

    private final List<RunResult> told = new ArrayList<>();
    private final Object target = new Object();
    private final Object listener = new Object();

    private Runs runs;

    /** What records: it says when it was closed. */
    private record KeptRecording(RunPlace place, List<String> closed) implements AutoCloseable {
        @Override
        public void close() {
            closed.add(place.run());
        }
    }

    private final List<String> closed = new ArrayList<>();

    @AfterEach
    void nothing_is_left() throws InterruptedException {
        assertThat(runs.current()).isNull();
        Ours.areGone();
    }

    @Test
    void the_run_ends_when_the_last_element_has_left_whatever_their_order() {
        List<Drill> shownAtTheEnd = new ArrayList<>();
        runs = new Runs(
                null,
                RunClock.ofProcess(),
                finished -> {
                    told.add(finished);
                    shownAtTheEnd.add(runs.current());
                },
                new ExpectedElements());
        runs.enter(listener, "");
        runs.begin(target, "", this::settings);
        Drill drill = runs.current();
        KeptRecording recording = attach();
        assertThat(attach()).isSameAs(recording);
        assertThat(recording.place().directory()).isEqualTo(drill.directory());
        assertThat(runs.leave(target, "")).isNull();
        assertThat(runs.current()).isSameAs(drill);
        RunResult finished = runs.leave(listener, "");
        assertThat(told).containsExactly(finished);
        assertThat(shownAtTheEnd)
                .as("the window shows this run, not the one before")
                .containsExactly(drill);
        assertThat(runs.last()).isSameAs(finished);
        assertThat(closed).containsExactly(drill.id());
        assertThat(RunFile.read(drill.directory()).tree().texts("parts")).contains("load.json");
    }

    @Test
    void in_a_remote_test_one_run_is_started_and_ends_with_the_last_server() throws IOException {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        Object clone = new Object();
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String first = "127.0.0.1:" + server.getLocalPort();
            String second = "localhost:" + server.getLocalPort();
            runs.begin(target, first, this::settings);
            Drill drill = runs.current();
            runs.begin(clone, second, this::settings);
            assertThat(runs.current()).isSameAs(drill);
            assertThat(runs.leave(target, first)).isNull();
            assertThat(runs.leave(clone, second)).isNotNull();
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void a_refused_run_is_refused_on_each_server() throws IOException {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            for (String name : List.of("127.0.0.1:", "localhost:")) {
                String host = name + server.getLocalPort();
                assertThatThrownBy(() -> runs.begin(new Object(), host, () -> {
                            throw new UsageException("lb1 is in use");
                        }))
                        .as(host)
                        .hasMessage("lb1 is in use");
            }
        }
    }

    @Test
    void a_server_that_is_gone_is_not_waited_for() throws IOException, InterruptedException {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        String server;
        try (ReservedPort port = new ReservedPort()) {
            server = "127.0.0.1:" + port.number();
            try (ServerSocket socket = new ServerSocket(port.number(), 5, InetAddress.getLoopbackAddress())) {
                assertThat(socket.isBound()).isTrue();
                runs.begin(target, server, this::settings);
            }
            Until.reached(() -> !told.isEmpty());
        }
        assertThat(told.get(0).verdict().warnings())
                .anyMatch(warning -> warning.contains(server + " went away before its test"));
        assertThat(told.get(0).verdict().reasons())
                .as("of its load nothing is here, and what it sent is in everybody's counts")
                .contains(VerdictReason.of(ReasonCode.WORKER_LOST, "worker", server + " on 127.0.0.1"));
    }

    @Test
    void a_run_waits_for_the_servers_that_are_still_to_begin() throws Exception {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String first = "127.0.0.1:" + server.getLocalPort();
            String second = "localhost:" + server.getLocalPort();
            Object clone = new Object();
            runs.announce(target);
            runs.begin(target, first, this::settings);
            runs.announce(clone);
            Drill drill = runs.current();
            Thread leaving = new Thread(() -> runs.leave(target, first));
            leaving.start();
            Until.reached(() -> leaving.getState() == Thread.State.TIMED_WAITING);
            runs.begin(clone, second, this::settings);
            leaving.join();
            assertThat(runs.current()).isSameAs(drill);
            assertThat(runs.leave(clone, second)).isNotNull();
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void a_server_that_begins_when_the_run_was_given_up_begins_no_other() throws IOException {
        AtomicLong ns = new AtomicLong();
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements(starter -> false, ns::get));
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String host = "127.0.0.1:" + server.getLocalPort();
            Object tooLate = new Object();
            runs.announce(tooLate);
            runs.begin(target, host, this::settings);
            ns.addAndGet(ExpectedElements.PATIENCE_NS);
            assertThat(runs.leave(target, host)).isNotNull();
            assertThatThrownBy(() -> runs.begin(tooLate, "localhost", this::settings))
                    .hasMessage("server localhost began too late: the run had ended by then");
            assertThat(runs.leave(tooLate, "localhost")).isNull();
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void where_another_process_conducts_the_run_only_the_load_is_recorded() {
        runs = new Runs(place, RunClock.ofProcess(), told::add, new ExpectedElements());
        runs.enter(listener, "");
        runs.begin(target, "", this::settings);
        assertThat(runs.current()).isNull();
        assertThat(attach().place().directory()).isEqualTo(place);
        runs.leave(target, "");
        assertThat(runs.leave(listener, "")).isNull();
        assertThat(closed).hasSize(1);
        assertThat(told).isEmpty();
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void without_a_balancer_target_the_load_has_a_run_of_its_own() {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        runs.enter(listener, "");
        assertThat(runs.current()).isNull();
        assertThat(attach().place().directory()).isEqualTo(runs.current().directory());
        runs.leave(listener, "");
        assertThat(told).hasSize(1);
    }

    @Test
    void a_run_that_was_refused_is_not_recorded() {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        runs.enter(listener, "");
        assertThatThrownBy(() -> runs.begin(target, "", () -> {
                    throw new UsageException("no such file");
                }))
                .isInstanceOf(UsageException.class);
        assertThatThrownBy(this::attach).isInstanceOf(UsageException.class).hasMessage("no such file");
        runs.leave(target, "");
        runs.leave(listener, "");
        assertThat(told).isEmpty();
        assertThatThrownBy(this::attach).hasMessage("nothing is recorded: the test is over");
    }

    @Test
    void a_plan_has_one_balancer_target() {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        Object second = new Object();
        runs.begin(target, "", this::settings);
        assertThatThrownBy(() -> runs.begin(second, "", this::settings))
                .hasMessage("the plan has more than one Balancer Target: disable all but one");
        runs.leave(second, "");
        runs.leave(target, "");
        assertThat(told).hasSize(1);
    }

    @Test
    void what_is_fired_is_healed_before_the_load_is_written_to_its_end() throws IOException {
        runs = new Runs(null, RunClock.ofProcess(), told::add, new ExpectedElements());
        try (Service service = new Service(place)) {
            Target pair = TargetFile.load(service.targetFile(true));
            runs.begin(target, "", () -> DrillSettings.of(place.resolve("runs"), "test", pair, 100.0, null));
            List<Boolean> downAtTheEnd = new ArrayList<>();
            runs.attach(AutoCloseable.class, place -> () -> downAtTheEnd.add(service.isDown()), this::settings);
            runs.current().faults().fireFirst("touch", null, () -> false);
            assertThat(service.isDown()).isTrue();
            runs.leave(target, "");
            assertThat(downAtTheEnd).containsExactly(false);
        }
    }

    private KeptRecording attach() {
        return runs.attach(KeptRecording.class, place -> new KeptRecording(place, closed), this::settings);
    }

    private DrillSettings settings() {
        return DrillSettings.of(place.resolve("runs"), "test", Target.at("", IdentitySettings.DEFAULT), 0.0, null);
    }
}
