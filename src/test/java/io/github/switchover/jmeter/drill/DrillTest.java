package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.TargetFile;
import io.github.switchover.jmeter.verdict.ReasonCode;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One run in this JVM, against a server on loopback and a fault that is a file. */
class DrillTest {

    private static final RunClock CLOCK = RunClock.ofProcess();

    @TempDir
    Path place;

    private Service service;

    @BeforeEach
    void start() throws IOException {
        service = new Service(place);
    }

    @AfterEach
    void stop() throws InterruptedException {
        service.close();
        Ours.areGone();
    }

    @Test
    void a_fault_is_fired_confirmed_and_healed_and_the_run_says_so() throws IOException {
        Drill drill = Drill.start(settings(true, null), CLOCK);
        drill.faults().fireFirst("touch", null, () -> false);
        assertThat(service.isDown()).isTrue();
        assertThat(drill.fault().name()).isEqualTo("touch");
        assertThat(drill.plan().confirmedUs()).isNotNull();
        drill.faults().heal();
        assertThat(service.isDown()).isFalse();
        RunResult finished = drill.finish();

        Run run = RunFile.read(drill.directory());
        PlanTimes plan = run.plan();
        assertThat(Stream.of(plan.startUs(), plan.firedFromUs(), plan.healFromUs(), plan.healedUs(), plan.endUs()))
                .doesNotContainNull()
                .isSorted();
        assertThat(plan.confirmedUs()).isBetween(plan.firedFromUs(), plan.healFromUs());
        assertThat(run.fault().name()).isEqualTo("touch");
        assertThat(run.fault().error()).isEmpty();
        assertThat(run.generator().whole("scheduled")).isPositive();
        assertThat(run.generator().number("lag_p99_ms")).isPositive();
        assertThat(run.probeRate()).isEqualTo(200.0);
        assertThat(run.lateUs()).isEqualTo(1_000_000);
        assertThat(run.tree().list("clocks")).hasSize(4);
        assertThat(run.tree().texts("parts")).containsExactly("journal.lp", "probes.jtl", "journal-prober.lp");
        assertThat(files(drill.directory()))
                .contains("run.json", "journal.lp", "probes.jtl", "journal-prober.lp", "verdict.json");
        assertThat(Until.text(drill.directory().resolve("journal.lp")))
                .contains("kind=start", "kind=fault", "kind=heal", "kind=end")
                .doesNotContain("kind=first_failure");
        assertThat(finished.verdict().figures().child("outage").number("low_ms"))
                .isPositive();
        assertThat(finished.summary().get(0)).contains("touch on lb1");
        assertThat(drill.finish()).isSameAs(finished);
    }

    @Test
    void a_dry_run_does_everything_but_the_kill() throws IOException {
        DrillSettings settings = settings(false, null);
        DrillSettings dry_run = new DrillSettings(
                settings.origin(),
                settings.target(),
                settings.probing(),
                new DrillSettings.FaultChoice(Arming.UNCONFIRMED, Set.of(), true, null, false),
                settings.limits(),
                null);
        Drill drill = Drill.start(dry_run, CLOCK);
        assertThat(drill.faults().fireFirst("touch", null, () -> false)).isTrue();
        assertThat(drill.faults().fireFirst("touch", null, () -> false)).isFalse();
        RunResult finished = drill.finish();
        assertThat(finished.verdict().status()).isEqualTo(Status.DRY_RUN);
        assertThat(finished.verdict().exitCode()).isZero();
        assertThat(RunFile.read(drill.directory()).isDryRun()).isTrue();
        assertThat(RunFile.read(drill.directory()).plan().firedFromUs()).isNull();
        assertThat(files(drill.directory())).doesNotContain("fault.fired");
        assertThat(drill.notes())
                .contains("lb2 can take over: the command `ready` succeeds", "touch dry run: nothing was fired");
    }

    @Test
    void a_backup_that_is_not_fit_keeps_the_master_alive() throws IOException {
        Path file = service.targetFile(true);
        Files.writeString(file, Files.readString(file).replace("\"lb2\"]", "\"lb3\"]"));
        try (Drill drill = Drill.start(
                DrillSettings.of(place.resolve("runs"), "test", TargetFile.load(file), 100.0, null), CLOCK)) {
            assertThatThrownBy(() -> drill.faults().fireFirst("touch", null, () -> false))
                    .hasMessageContaining(
                            "touch does not fire: no backup is proven healthy (lb2: [fault.touch] ready:");
        }
        assertThat(service.isDown()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_service_that_gives_no_good_answer_keeps_the_master_alive(boolean lab) throws IOException {
        Files.createFile(place.resolve("down"));
        DrillSettings settings = DrillSettings.of(
                        place.resolve("runs"), "test", TargetFile.load(service.targetFile(lab)), 100.0, null)
                .armed(Arming.CONFIRMED);
        try (Drill drill = Drill.start(settings, CLOCK)) {
            assertThatThrownBy(() -> drill.faults().fireFirst("touch", null, () -> false))
                    .hasMessageStartingWith(service.url() + " gave no good answer in the baseline (")
                    .hasMessageEndingWith("probes failed, the last failure: status): nothing was fired; try '"
                            + (lab ? "switchover lab exec client -- " : "") + "switchover doctor --target FILE'");
            assertThat(drill.plan().firedFromUs()).isNull();
        }
    }

    @Test
    void a_fault_is_fired_once_a_run() {
        try (Drill drill = Drill.start(settings(true, null), CLOCK)) {
            drill.faults().fireFirst("touch", null, () -> false);
            assertThat(drill.faults().fireFirst("touch", null, () -> false)).isFalse();
            assertThatThrownBy(() -> drill.faults().fireFirst("nothing", null, () -> false))
                    .isInstanceOf(FaultException.class)
                    .hasMessage("nothing does not fire: touch was already fired in this run");
        }
        assertThat(service.isDown()).isFalse();
    }

    @Test
    void the_end_of_a_run_heals_what_is_on() throws IOException {
        Drill drill = Drill.start(settings(true, null), CLOCK);
        drill.faults().fireFirst("touch", null, () -> false);
        drill.finish();
        assertThat(service.isDown()).isFalse();
        PlanTimes plan = RunFile.read(drill.directory()).plan();
        assertThat(plan.healedUs()).isNotNull();
        assertThat(plan.endUs()).isLessThanOrEqualTo(plan.healFromUs());
    }

    @Test
    void a_phase_that_was_too_short_for_what_was_predicted_is_recorded() {
        Drill drill = Drill.start(settings(true, null), CLOCK);
        drill.faults().fireFirst("touch", null, () -> false);
        drill.finish();
        Run run = RunFile.read(drill.directory());
        assertThat(run.isCutShort(CutPhase.HOLD)).isTrue();
        assertThat(run.tree().list("truncated").get(0).number("needed_s")).isEqualTo(8.0);
    }

    @Test
    void an_interrupted_run_is_healed_and_called_stopped() {
        Drill drill = Drill.start(settings(true, null), CLOCK);
        drill.faults().fireFirst("touch", null, () -> false);
        drill.interrupt();
        assertThat(service.isDown()).isFalse();
        RunResult finished = drill.finish();
        assertThat(finished.verdict().exitCode()).isEqualTo(2);
        assertThat(finished.verdict().status()).isEqualTo(Status.STOPPED);
        assertThat(finished.verdict().reasons().get(0))
                .isEqualTo(VerdictReason.of(ReasonCode.STOPPED, "why", "interrupted before the end of the plan"));
        assertThat(RunFile.read(drill.directory()).plan().healedUs()).isNotNull();
    }

    @Test
    void nothing_fires_at_a_target_that_is_no_lab_unless_it_is_meant() throws IOException {
        try (Drill drill = Drill.start(settings(false, null), CLOCK)) {
            assertThatThrownBy(() -> drill.faults().fireFirst("touch", null, () -> false))
                    .hasMessageContaining("touch is not armed")
                    .hasMessageContaining("-Jswitchover.armed=true");
            assertThat(drill.notes()).hasSize(1);
            RunResult finished = drill.finish();
            assertThat(finished.verdict().status()).isEqualTo(Status.NOT_FIRED);
            assertThat(finished.verdict().exitCode()).isEqualTo(2);
            assertThat(finished.verdict().reasons().get(0).figures().text("why"))
                    .startsWith(": touch is not armed");
        }
        assertThat(service.isDown()).isFalse();
        assertThat(files(place)).doesNotContain("watchdog.log");
    }

    @Test
    void a_pair_is_kept_until_the_end_of_the_run_and_not_only_until_its_heal() throws Exception {
        try (Drill drill = Drill.start(settings(true, new DrillSettings.FaultPlan("touch", 0.3, 0.8)), CLOCK)) {
            Until.reached(() -> drill.plan().healedUs() != null);
            assertThatThrownBy(() -> Drill.start(settings(true, new DrillSettings.FaultPlan("touch", 1, null)), CLOCK))
                    .hasMessageContaining(" is in use: ");
        }
    }

    @Test
    void a_planned_fault_that_the_user_declined_is_not_fired_and_the_run_says_so() throws InterruptedException {
        var plan = new DrillSettings.FaultPlan("touch", 0.3, 1.0);
        Drill drill = Drill.start(
                firing(false, new DrillSettings.FaultChoice(Arming.DECLINED, Set.of(), false, plan, false)), CLOCK);
        Until.reached(() -> !drill.notes().isEmpty());
        RunResult finished = drill.finish();
        assertThat(service.isDown()).isFalse();
        assertThat(finished.verdict().status()).isEqualTo(Status.NOT_FIRED);
        String why = ": touch is not armed: it would act on " + service.url()
                + " for real; the question at the start of the test was not answered with Yes";
        assertThat(finished.verdict().reasons().get(0))
                .isEqualTo(VerdictReason.of(ReasonCode.NOT_FIRED, "fault", "touch", "why", why));
        assertPlanned(drill, false, 0.3, 1.0);
    }

    @Test
    void a_fault_that_is_not_confirmed_is_reported_and_the_run_is_unconfirmed() {
        Drill drill = Drill.start(settings(true, null), CLOCK);
        assertThatThrownBy(() -> drill.faults().fireFirst("nothing", null, () -> false))
                .hasMessageContaining("nothing is not confirmed");
        RunResult finished = drill.finish();
        assertThat(finished.verdict().exitCode()).isEqualTo(2);
        assertThat(finished.verdict().reasons())
                .anyMatch(reason -> reason.text().contains("nothing is not confirmed"));
    }

    @Test
    void a_test_that_ends_before_the_planned_heal_was_stopped() throws InterruptedException {
        Drill drill = Drill.start(settings(true, new DrillSettings.FaultPlan("touch", 0.5, 600.0)), CLOCK);
        Until.reached(() -> drill.plan().confirmedUs() != null);
        RunResult finished = drill.finish();
        assertThat(service.isDown()).isFalse();
        assertThat(finished.verdict().status()).isEqualTo(Status.STOPPED);
        String why = "the test ended before the heal that was planned after 600 s";
        assertThat(finished.verdict().reasons()).contains(VerdictReason.of(ReasonCode.STOPPED, "why", why));
    }

    @Test
    void a_fault_with_times_fires_and_heals_by_itself() throws InterruptedException {
        Drill drill = Drill.start(settings(true, new DrillSettings.FaultPlan("touch", 1.2, 2.5)), CLOCK);
        assertThat(drill.fault().isNone()).isTrue();
        Until.reached(() -> drill.plan().healedUs() != null);
        PlanTimes plan = drill.plan();
        assertThatThrownBy(() -> drill.faults().fireFirst("nothing", null, () -> false))
                .hasMessageContaining("touch was already fired");
        drill.finish();
        assertThat(plan.firedFromUs() - plan.startUs()).isGreaterThanOrEqualTo(1_200_000);
        assertThat(plan.healFromUs() - plan.startUs()).isGreaterThanOrEqualTo(2_500_000);
        assertThat(plan.healFromUs()).isGreaterThan(plan.confirmedUs());
        assertPlanned(drill, true, 1.2, 2.5);
    }

    @Test
    void a_load_that_never_told_of_itself_is_missed() {
        Drill drill = Drill.start(settings(true, null), CLOCK);
        drill.expectLoad();
        assertThat(drill.finish().verdict().reasons())
                .anyMatch(reason -> reason.text().contains("load.json"));
    }

    @Test
    void what_cannot_start_leaves_nothing() throws IOException {
        assertThatThrownBy(() -> Drill.start(settings(true, new DrillSettings.FaultPlan("flood", 1, null)), CLOCK))
                .isInstanceOf(SwitchoverException.class)
                .hasMessageContaining("has no [fault.flood]; it has: nothing, touch");
        DrillSettings nowhere = DrillSettings.of(
                place.resolve("runs"),
                "nowhere",
                Target.at("http://no-such-host.invalid/", IdentitySettings.DEFAULT),
                10.0,
                null);
        assertThatThrownBy(() -> Drill.start(nowhere, CLOCK)).hasMessageContaining("cannot resolve");
        Path file = Files.writeString(place.resolve("file"), "");
        assertThatThrownBy(() -> Drill.start(
                        DrillSettings.of(
                                file, "in a file", Target.at(service.url(), IdentitySettings.DEFAULT), 10.0, null),
                        CLOCK))
                .hasMessageContaining("cannot create run directory");
        Path runs = place.resolve("runs");
        assertThat(Files.exists(runs) ? files(runs) : List.of()).isEqualTo(List.of());
    }

    private static void assertPlanned(Drill drill, boolean armed, double atS, double healAtS) {
        Tree settings = RunFile.read(drill.directory()).settings();
        assertThat(settings.is("armed")).isEqualTo(armed);
        assertThat(settings.text("fault_planned")).isEqualTo("touch");
        assertThat(settings.number("fault_at_s")).isEqualTo(atS);
        assertThat(settings.number("heal_at_s")).isEqualTo(healAtS);
    }

    private DrillSettings settings(boolean lab, DrillSettings.FaultPlan plan) {
        return firing(lab, new DrillSettings.FaultChoice(Arming.UNCONFIRMED, Set.of(), false, plan, false));
    }

    private DrillSettings firing(boolean lab, DrillSettings.FaultChoice firing) {
        try {
            return new DrillSettings(
                    new DrillSettings.RunOrigin(place.resolve("runs"), "test", List.of("jmeter", "-n")),
                    TargetFile.load(service.targetFile(lab)),
                    DrillSettings.ProbeChoice.usual(200.0),
                    firing,
                    List.of("outage=5s"),
                    null);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }
}
