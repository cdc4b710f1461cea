package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunViewerTest {

    @TempDir
    private Path folder;

    private final AtomicReference<Path> current = new AtomicReference<>();
    private final RunViewer viewing = new RunViewer(current::get);

    @AfterEach
    void leaves_no_thread() throws InterruptedException {
        viewing.close();
        Until.reached(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("switchover view")));
    }

    @Test
    void shows_the_run_of_this_jvm_as_soon_as_there_is_one_and_then_the_next()
            throws IOException, InterruptedException {
        viewing.start();
        assertThat(viewing.shown()).isEqualTo(ViewState.NOTHING);
        current.set(begun("one"));
        reached("one");
        current.set(begun("two"));
        reached("two");
    }

    @Test
    void a_run_that_is_opened_stays_until_the_next_one_begins() throws IOException, InterruptedException {
        current.set(begun("one"));
        viewing.start();
        reached("one");
        Path finished = Files.createDirectory(folder.resolve("finished"));
        RunFolder.write(
                finished,
                Vectors.run(Contract.plain("verdicts.json", "cases")
                        .findFirst()
                        .orElseThrow()
                        .getPayload()));
        viewing.open(finished);
        Until.reached(() -> viewing.shown().snapshot() != null
                && viewing.shown().snapshot().state() == RunSnapshot.RunState.JUDGED);
        current.set(begun("two"));
        reached("two");
    }

    @Test
    void a_run_that_others_still_write_is_followed() throws IOException, InterruptedException {
        viewing.start();
        viewing.open(begun("theirs"));
        reached("theirs");
        assertThat(viewing.shown().snapshot().state()).isEqualTo(RunSnapshot.RunState.RUNNING);
    }

    @Test
    void what_cannot_be_opened_is_told_in_one_line() throws InterruptedException {
        viewing.open(folder.resolve("gone.jtl"));
        assertThat(viewing.shown().reading()).startsWith("reading ");
        viewing.start();
        Until.reached(() -> viewing.shown().trouble() != null);
        assertThat(viewing.shown().trouble())
                .startsWith("cannot open it: ")
                .endsWith("No such file or directory")
                .doesNotContain("\n");
        viewing.clear();
        assertThat(viewing.shown()).isEqualTo(ViewState.NOTHING);
    }

    @Test
    void what_was_seen_is_kept_while_nobody_looks() throws IOException, InterruptedException {
        current.set(begun("one"));
        viewing.start();
        reached("one");
        viewing.close();
        assertThat(viewing.shown().snapshot().run().id()).isEqualTo("one");
        viewing.start();
        reached("one");
    }

    private void reached(String id) throws InterruptedException {
        Until.reached(() -> viewing.shown().snapshot() != null
                && viewing.shown().snapshot().run().id().equals(id));
    }

    private Path begun(String id) throws IOException {
        Path directory = Files.createDirectory(folder.resolve(id));
        RunFile.write(directory, Run.named(id, id).with(PlanTimes.NOTHING.started(1_700_000_000_000_000L)));
        return directory;
    }
}
