package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.faults.Arming;
import io.github.switchover.jmeter.faults.FaultException;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.Word;
import io.github.switchover.jmeter.target.TargetFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many changes in one run in this JVM; the change is a file. */
class ChangesTest {

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
    void a_series_is_made_proved_taken_back_and_written_down() throws Exception {
        Drill drill = Drill.start(settings(new DrillSettings.ChangePlan("move", 0.2, 2, 1)), CLOCK);
        Until.reached(() -> drill.plan().changesMade().stream()
                        .filter(change -> change.making().settledUs() != null)
                        .count()
                == 2);
        RunResult finished = drill.finish();
        Run run = RunFile.read(drill.directory());
        assertThat(run.change().name()).isEqualTo("move");
        assertThat(run.ending().stopped()).isEmpty();
        assertThat(run.plan().changes()).extracting(ChangeRun::number).containsExactly(1, 2);
        for (ChangeRun change : run.plan().changes()) {
            assertThat(change.error()).isNull();
            assertThat(List.of(
                            change.fromUs(),
                            change.making().confirmedUs(),
                            change.undoing().undoneUs(),
                            change.making().settledUs()))
                    .isSorted();
        }
        assertThat(moved()).isFalse();
        assertThat(Until.text(drill.directory().resolve("journal.lp"))).contains("kind=change", "kind=undo");
        assertThat(finished.summary().get(0)).contains("2 times move on lb1");
    }

    @Test
    void one_that_a_plan_makes_may_be_made_again() {
        Drill drill = Drill.start(settings(null), CLOCK);
        assertThat(drill.makeChange("move", 1, Runnable::run, () -> false).number())
                .isEqualTo(1);
        assertThat(drill.makeChange("move", 1, Runnable::run, () -> false).number())
                .isEqualTo(2);
        assertThatThrownBy(() -> drill.fireFirst("touch", null))
                .isInstanceOf(FaultException.class)
                .hasMessageContaining("one run has one of both");
        drill.finish();
    }

    @Test
    void what_cannot_be_proved_is_said_and_the_run_is_not_trusted() {
        Drill drill = Drill.start(settings(null), CLOCK);
        assertThatThrownBy(() -> drill.makeChange("unproved", 1, Runnable::run, () -> false))
                .isInstanceOf(FaultException.class);
        assertThat(drill.notes()).anyMatch(note -> note.contains("unproved cannot be taken back"));
        RunResult finished = drill.finish();
        assertThat(finished.verdict().word().isDistrust()).isTrue();
    }

    @Test
    void a_test_that_ends_meanwhile_takes_back_what_is_made_and_is_stopped() throws Exception {
        Drill drill = Drill.start(settings(new DrillSettings.ChangePlan("move", 0.1, 500, 2)), CLOCK);
        Until.reached(this::moved);
        RunResult finished = drill.finish();
        assertThat(moved()).isFalse();
        assertThat(finished.verdict().word()).isEqualTo(Word.STOPPED);
        assertThat(finished.verdict().reasonTexts().get(0)).contains("of 500 changes");
    }

    @Test
    void the_last_change_is_not_one_that_was_looked_at_for_a_moment() throws Exception {
        Drill drill = Drill.start(settings(new DrillSettings.ChangePlan("move", 0.1, 1, 60)), CLOCK);
        Until.reached(this::moved);
        RunResult finished = drill.finish();
        assertThat(moved()).isFalse();
        assertThat(drill.plan().changes().get(0).isSettled()).isFalse();
        assertThat(finished.verdict().word()).isEqualTo(Word.STOPPED);
        assertThat(finished.verdict().reasonTexts().get(0)).isEqualTo("the test ended in the middle of change 1 of 1");
    }

    @Test
    void what_a_plan_has_made_is_none_of_the_series() {
        Drill drill = Drill.start(settings(new DrillSettings.ChangePlan("move", 600, 1, 1)), CLOCK);
        drill.makeChange("move", 1, Runnable::run, () -> false);
        assertThat(drill.finish().verdict().reasonTexts()).first().isEqualTo("the test ended after 0 of 1 changes");
    }

    @Test
    void one_that_is_given_up_is_taken_back_at_once_and_has_not_settled() {
        Drill drill = Drill.start(settings(null), CLOCK);
        AtomicBoolean isMade = new AtomicBoolean();
        ChangeRun given = drill.makeChange("move", 600, Runnable::run, () -> {
            isMade.compareAndSet(false, moved());
            return isMade.get();
        });
        assertThat(moved()).isFalse();
        assertThat(given.isSettled()).isFalse();
        assertThat(given.undoing().undoneUs()).isNotNull();
        assertThatThrownBy(() -> drill.makeChange("move", 600, Runnable::run, () -> true))
                .isInstanceOf(FaultException.class)
                .hasMessage("move is not made: the run is over");
        drill.finish();
    }

    @Test
    void a_change_that_the_target_file_does_not_have_is_refused_before_anything_is_started() {
        assertThatThrownBy(() -> Drill.start(settings(new DrillSettings.ChangePlan("reload", 1, 2, 1)), CLOCK))
                .isInstanceOf(FaultException.class)
                .hasMessageEndingWith("has no [change.reload]; it has: move, unproved");
    }

    @Test
    void times_that_mean_nothing_are_refused() {
        assertThatThrownBy(() -> new DrillSettings.ChangePlan("move", 1, 0, 1)).isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> new DrillSettings.ChangePlan("move", 1, 1, 0.5))
                .isInstanceOf(UsageException.class);
    }

    private boolean moved() {
        return Files.exists(place.resolve("moved"));
    }

    private DrillSettings settings(DrillSettings.ChangePlan changes) {
        try {
            return new DrillSettings(
                    new DrillSettings.RunOrigin(place.resolve("runs"), "test", 7L, List.of("jmeter", "-n")),
                    TargetFile.load(service.targetFile(true)),
                    DrillSettings.ProbeChoice.usual(200.0),
                    new DrillSettings.FaultChoice(Arming.NOT_SAID, false, false, null, false, changes),
                    List.of(),
                    null);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
