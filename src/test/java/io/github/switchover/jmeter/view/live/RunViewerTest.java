package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunViewerTest {

    @TempDir
    private Path folder;

    private final AtomicReference<RunState> current = new AtomicReference<>();
    private final RunViewer viewing = new RunViewer(current::get);

    @AfterEach
    void leaves_no_thread() throws InterruptedException {
        viewing.close();
        Until.reached(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("switchover view")));
    }

    @Test
    void shows_the_run_of_this_jvm_as_soon_as_there_is_one_and_then_the_next() throws InterruptedException {
        viewing.start();
        assertThat(viewing.shown().snapshot()).isEmpty();
        current.set(begun("one"));
        reached("one");
        current.set(begun("two"));
        reached("two");
    }

    @Test
    void what_was_seen_is_kept_while_nobody_looks() throws InterruptedException {
        current.set(begun("one"));
        viewing.start();
        reached("one");
        viewing.close();
        assertThat(viewing.shown().snapshot().orElseThrow().run().id()).isEqualTo("one");
        viewing.start();
        reached("one");
    }

    private void reached(String id) throws InterruptedException {
        Until.reached(() -> viewing.shown()
                .snapshot()
                .filter(run -> run.run().id().equals(id))
                .isPresent());
    }

    private RunState begun(String id) {
        Run run = Run.named(id, id).with(PlanTimes.NOTHING.started(1_700_000_000_000_000L));
        return new RunState(folder.resolve(id), run, null);
    }
}
