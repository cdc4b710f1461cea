package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.KeptSamples;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.PlanFile;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.drill.Ours;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.drill.Service;
import io.github.switchover.jmeter.element.ArmingCheck.JMeterKeyboard;
import io.github.switchover.jmeter.element.ArmingCheck.Keyboard;
import io.github.switchover.jmeter.faults.UndoList;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.target.TargetFile;
import io.github.switchover.jmeter.verdict.ReasonCode;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.jmeter.modifiers.SampleTimeout;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Plans with a Balancer Target and a Master Kill, run by JMeter's engine in this JVM. */
@ExtendWith(JMeterHome.class)
class DrillInPlanTest {

    private static final String NOT_REACHED =
            ": the test ended before a thread reached the Master Kill and waited until its time";

    @TempDir
    Path place;

    private final KeptSamples kept = new KeptSamples();
    private Service service;

    @BeforeEach
    void start() throws IOException {
        service = new Service(place);
    }

    @AfterEach
    void stop() throws InterruptedException {
        JMeterUtils.getJMeterProperties().remove(BalancerTargetSettings.ARMED_PROPERTY);
        service.close();
        Ours.areGone();
        assertThat(Runs.ofThisJvm().current()).isNull();
    }

    @Test
    void one_kill_is_fired_whatever_loops_and_threads_there_are() throws Exception {
        run(3, 4, target(true), kill("action", MasterKill.FIRE_AND_HEAL, "hold", "300ms"));
        assertThat(kept.results()).hasSize(1);
        SampleResult result = kept.results().get(0);
        assertThat(result.isSuccessful()).as(result.getResponseMessage()).isTrue();
        assertThat(result.getResponseMessage())
                .matches("fired touch on lb1: confirmed \\d+ ms later; healed touch in \\d+ ms");
        assertThat(service.isDown()).isFalse();
        RunResult finished = Runs.ofThisJvm().last();
        assertThat(finished.directory()).hasParent(place.resolve("runs"));
        assertThat(RunFile.read(finished.directory()).plan().healedUs()).isNotNull();
    }

    @Test
    void an_unknown_action_is_refused() throws Exception {
        run(1, 1, target(true), kill("action", "change"));
        String refusal = "Action: 'change' is invalid: write fire, heal, fireAndHeal or external";
        assertThat(kept.results().get(0).getResponseMessage()).isEqualTo(refusal);
        assertThat(Runs.ofThisJvm().last().verdict().status()).isEqualTo(Status.NOT_FIRED);
    }

    @Test
    void a_fault_that_somebody_else_fires_is_noted_once_and_no_command_is_run() throws Exception {
        run(2, 2, target(false), kill("action", MasterKill.EXTERNAL, "delay", "200ms"));
        assertThat(kept.results())
                .extracting(SampleResult::getResponseMessage)
                .containsExactly("recorded a fault that another program fired");
        assertThat(service.isDown()).isFalse();
        Run run = RunFile.read(Runs.ofThisJvm().last().directory());
        assertThat(run.fault().kind()).isEqualTo(FaultRun.EXTERNAL);
        assertThat(run.plan().confirmedUs()).isEqualTo(run.plan().firedFromUs());
        assertThat(run.plan().healedUs()).isGreaterThanOrEqualTo(run.plan().firedFromUs());
    }

    @Test
    void a_test_may_be_started_again_in_the_same_jvm() throws Exception {
        run(1, 1, target(true), kill("action", MasterKill.FIRE));
        Path first = Runs.ofThisJvm().last().directory();
        run(1, 1, target(true), kill("action", MasterKill.FIRE));
        Path second = Runs.ofThisJvm().last().directory();
        assertThat(second).isNotEqualTo(first).hasParent(first.getParent());
        for (Path run : List.of(first, second)) {
            assertThat(RunFile.read(run).plan().healedUs()).isNotNull();
        }
        assertThat(kept.results()).hasSize(2).allMatch(SampleResult::isSuccessful);
    }

    @Test
    void neither_of_two_tests_in_one_jvm_leaves_a_socket() throws Exception {
        long before = Ours.sockets();
        for (int i = 0; i < 2; i++) {
            run(1, 1, target(true), kill("action", MasterKill.FIRE_AND_HEAL, "hold", "100ms"));
            Until.reached(() -> Ours.sockets() <= before, () -> before + " before, now " + Ours.sockets());
        }
    }

    @Test
    void stopping_in_the_middle_heals_and_judges() throws Exception {
        Plan.Running running = plan(1, 1, target(true), kill("action", MasterKill.FIRE_AND_HEAL, "hold", "50s"))
                .start();
        assertEndHeals(running, true);
        assertThat(Runs.ofThisJvm().last().verdict().status()).isEqualTo(Status.STOPPED);
        String why = "the test was stopped before the heal that was planned after 50 s";
        assertThat(Runs.ofThisJvm().last().verdict().reasons())
                .contains(VerdictReason.of(ReasonCode.STOPPED, "why", why));
    }

    @Test
    void a_kill_whose_time_did_not_come_is_not_fired() throws Exception {
        stopOnceItRuns(true, plan(1, 1, target(true), kill("action", MasterKill.FIRE, "delay", "50s")));
        assertNothingFired("Master Kill", NOT_REACHED);
    }

    @Test
    void a_shutdown_before_its_time_stops_a_kill() throws Exception {
        stopOnceItRuns(false, plan(1, 1, target(true), kill("action", MasterKill.FIRE, "delay", "2s")));
        assertNothingFired("Master Kill", NOT_REACHED);
    }

    @Test
    void a_shutdown_stops_a_fault_of_balancer_target_while_a_thread_still_ends_its_sample() throws Exception {
        TestElement target = target(true);
        target.setProperty("fault", "touch");
        target.setProperty("faultAt", "3s");
        stopOnceItRuns(false, plan(1, 1, target, kill("action", MasterKill.HEAL, "delay", "6s")));
        assertNothingFired("touch", ": the test was stopped before");
    }

    @Test
    void a_kill_alone_in_a_loop_leaves_the_core_to_the_prober() throws Exception {
        Plan.Running running =
                plan(1, -1, target(true), kill("action", MasterKill.FIRE)).start();
        try {
            Until.reached(service::isDown);
            long before = cpuNsOfUsers();
            TimeUnit.SECONDS.sleep(1);
            assertThat(cpuNsOfUsers() - before).isLessThan(100_000_000);
        } finally {
            running.stop(true);
            running.awaitEnd();
        }
    }

    @Test
    void a_sample_timeout_of_the_plan_is_not_meant_for_a_kill() throws Exception {
        SampleTimeout timeout = new SampleTimeout();
        timeout.setTimeout("200");
        TestElement kill = kill("action", MasterKill.FIRE_AND_HEAL, "delay", "500ms", "hold", "800ms");
        plan(1, 1, target(true), kill).with(timeout).run();
        assertThat(kept.results().get(0).getResponseMessage())
                .matches("fired touch on lb1: confirmed \\d+ ms later; healed touch in \\d+ ms");
        PlanTimes plan = RunFile.read(Runs.ofThisJvm().last().directory()).plan();
        assertThat(plan.healFromUs() - plan.confirmedUs()).isGreaterThanOrEqualTo(800_000);
    }

    private static long cpuNsOfUsers() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("users "))
                .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId()))
                .sum();
    }

    private static void stopOnceItRuns(boolean now, Plan plan) throws InterruptedException {
        Plan.Running running = plan.start();
        Until.reached(() -> JMeterContextService.getNumberOfThreads() == 1);
        running.stop(now);
        running.awaitEnd();
    }

    private void assertNothingFired(String fault, String why) {
        assertThat(service.isDown()).isFalse();
        assertThat(RunFile.read(Runs.ofThisJvm().last().directory()).plan().firedFromUs())
                .isNull();
        assertThat(Runs.ofThisJvm().last().verdict().status()).isEqualTo(Status.NOT_FIRED);
        assertThat(Runs.ofThisJvm().last().verdict().reasons())
                .first()
                .isEqualTo(VerdictReason.of(ReasonCode.NOT_FIRED, "fault", fault, "why", why));
    }

    @Test
    void an_unarmed_kill_says_how_to_arm_it() throws Exception {
        run(1, 1, target(false), kill("action", MasterKill.FIRE));
        SampleResult result = kept.results().get(0);
        assertThat(result.isSuccessful()).isFalse();
        assertThat(result.getResponseMessage())
                .contains("touch is not armed")
                .contains("add -Jswitchover.armed=true to confirm it")
                .doesNotContain("\n");
        assertThat(service.isDown()).isFalse();
    }

    @Test
    void a_true_that_is_saved_in_the_plan_arms_nothing() throws Exception {
        TestElement target = target(false);
        target.setProperty("armed", "true");
        run(1, 1, PlanFile.savedAndLoaded(target), kill("action", MasterKill.FIRE));
        assertRefused("add -Jswitchover.armed=true to confirm it");
    }

    @Test
    void a_property_that_no_command_line_gave_arms_nothing() throws Exception {
        JMeterUtils.setProperty(BalancerTargetSettings.ARMED_PROPERTY, "true");
        run(1, 1, target(false), kill("action", MasterKill.FIRE));
        assertRefused("a true in a file or set by a plan arms nothing:"
                + " add -Jswitchover.armed=true to the command line to confirm it");
    }

    @Test
    void the_word_of_the_command_line_arms_it() throws Exception {
        JMeterUtils.setProperty(BalancerTargetSettings.ARMED_PROPERTY, "true");
        run(1, 1, target(false, KeyboardScript.commandLine(true)), kill("action", MasterKill.FIRE));
        assertThat(kept.results().get(0).getResponseMessage()).startsWith("fired touch on lb1");
        assertThat(service.isDown()).isFalse();
    }

    @Test
    void in_the_window_a_yes_at_the_start_arms_it() throws Exception {
        KeyboardScript user = KeyboardScript.window(true);
        run(1, 1, target(false, user), kill("action", MasterKill.FIRE));
        assertThat(user.questions())
                .singleElement()
                .asString()
                .contains("Fault: touch, when a thread reaches its Master Kill\nHits: lb1, which is the master now\n");
        assertThat(kept.results().get(0).getResponseMessage()).startsWith("fired touch on lb1");
    }

    @Test
    void in_the_window_a_no_lets_the_test_run_and_nothing_is_fired() throws Exception {
        KeyboardScript user = KeyboardScript.window(false);
        run(1, 1, target(false, user), kill("action", MasterKill.FIRE));
        assertThat(user.questions()).hasSize(1);
        assertRefused("the question at the start of the test was not answered with Yes");
        assertThat(Runs.ofThisJvm().last().verdict().status()).isEqualTo(Status.NOT_FIRED);
    }

    @Test
    void in_the_window_nothing_is_asked_of_a_lab_or_where_nothing_fires() throws Exception {
        KeyboardScript user = KeyboardScript.window(false);
        run(1, 1, target(true, user), kill("action", MasterKill.FIRE));
        assertThat(kept.results().get(0).getResponseMessage()).startsWith("fired touch on lb1");
        run(1, 1, target(false, user), kill("action", MasterKill.HEAL));
        assertThat(user.questions()).isEmpty();
    }

    @Test
    void a_pair_that_another_run_has_stops_the_test_before_its_load() throws Exception {
        TestElement target = target(true);
        Path other = Files.createDirectory(place.resolve("other"));
        try (UndoList hold = UndoList.hold(TargetFile.load(place.resolve("target.toml")), "touch", other)) {
            RunResult before = Runs.ofThisJvm().last();
            run(1, 1000, target, kill("action", MasterKill.FIRE));
            assertThat(Runs.ofThisJvm().last()).isSameAs(before);
            assertThat(kept.results()).isEmpty();
            assertThat(hold).isNotNull();
        }
        run(1, 1, target, kill("action", MasterKill.FIRE));
        assertThat(kept.results()).hasSize(1).allMatch(SampleResult::isSuccessful);
    }

    private void assertRefused(String advice) {
        assertThat(kept.results().get(0).isSuccessful()).isFalse();
        assertThat(kept.results().get(0).getResponseMessage())
                .isEqualTo("touch is not armed: it would act on " + service.url() + " for real; " + advice);
        assertThat(service.isDown()).isFalse();
    }

    @Test
    void balancer_target_fires_by_itself_at_its_times() throws Exception {
        TestElement target = target(true);
        target.setProperty("fault", "touch");
        target.setProperty("faultAt", "60s");
        target.setProperty("healAt", "61s");
        run(1, 1, target, kill("action", MasterKill.HEAL, "delay", "0"));
        // The plan is over long before: what was never due is not fired.
        assertThat(RunFile.read(Runs.ofThisJvm().last().directory()).plan().firedFromUs())
                .isNull();
        assertThat(kept.results().get(0).getResponseMessage()).isEqualTo("there is nothing to heal: nothing was fired");
    }

    @Test
    void a_missing_target_stops_the_test_and_leaves_nothing() throws Exception {
        RunResult before = Runs.ofThisJvm().last();
        TestElement target = target(true);
        target.setProperty("targetFile", place.resolve("none.toml").toString());
        run(1, 1000, target, kill("action", MasterKill.FIRE));
        assertThat(Runs.ofThisJvm().last()).isSameAs(before);
        assertThat(kept.results()).isEmpty();
        try (Stream<Path> files = Files.list(place)) {
            assertThat(files.map(path -> path.getFileName().toString())).containsExactly("target.toml");
        }
    }

    @Test
    void a_test_that_is_stopped_before_its_load_is_no_run_that_a_build_may_believe() throws Exception {
        TestElement target = target(true);
        target.setProperty("influx", "http://127.0.0.1:9?db=d");
        JMeterUtils.setProperty("switchover.influx", "http://me:secret@influx:8086?db=d");
        JMeterUtils.setProperty("switchover.influx_wait", "100ms");
        try {
            new Plan()
                    .with(kept, target, new SwitchoverListener())
                    .group(1, 1000, kill("action", MasterKill.FIRE))
                    .run();
        } finally {
            JMeterUtils.getJMeterProperties().remove("switchover.influx");
            JMeterUtils.getJMeterProperties().remove("switchover.influx_wait");
        }
        assertThat(kept.results()).isEmpty();
        assertThat(Runs.ofThisJvm().last().verdict().status()).isEqualTo(Status.STOPPED);
        assertThat(Runs.ofThisJvm().last().verdict().exitCode()).isEqualTo(2);
    }

    private void assertEndHeals(Plan.Running running, boolean now) throws Exception {
        Until.reached(service::isDown);
        Until.reached(() -> Runs.ofThisJvm().current().plan().confirmedUs() != null);
        running.stop(now);
        running.awaitEnd();
        assertThat(service.isDown()).isFalse();
        Run run = RunFile.read(Runs.ofThisJvm().last().directory());
        assertThat(run.plan().healedUs()).isNotNull();
        assertThat(Runs.ofThisJvm().last().directory().resolve("verdict.json")).exists();
    }

    private void run(int threads, int loops, TestElement target, TestElement sampler) {
        plan(threads, loops, target, sampler).run();
    }

    private Plan plan(int threads, int loops, TestElement target, TestElement sampler) {
        Plan plan = target == null ? new Plan().with(kept) : new Plan().with(kept, target);
        return plan.group(threads, loops, sampler);
    }

    private TestElement target(boolean lab) throws IOException {
        return target(lab, new JMeterKeyboard());
    }

    private TestElement target(boolean lab, Keyboard keyboard) throws IOException {
        return Plan.element(
                new BalancerTarget(keyboard),
                "targetFile",
                service.targetFile(lab).toString(),
                "out",
                place.resolve("runs").toString(),
                "probeRate",
                "100");
    }

    private static TestElement kill(String... fields) {
        TestElement kill = Plan.element(new MasterKill(), fields);
        kill.setProperty("fault", "touch");
        return kill;
    }
}
