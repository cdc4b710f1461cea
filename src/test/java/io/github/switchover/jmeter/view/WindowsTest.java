package io.github.switchover.jmeter.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows need a display, and a Java that was started with one: what is done with them stands in {@link GuiScenes}. */
class WindowsTest {

    /** Half a minute is enough on a machine that does nothing else. */
    private static final long BOUND_S = 280;

    @TempDir
    private static Path folder;

    /** By scene: ok, or what went wrong. */
    private static Map<String, String> outcomes;

    @BeforeAll
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    static void play() throws IOException, InterruptedException {
        Path told = folder.resolve("told");
        Path said = folder.resolve("said");
        try (Screen screen = Screen.open(1280, 800)) {
            Process scenes = screen.java(GuiScenes.class, List.of(folder.toString(), told.toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            boolean ended = scenes.waitFor(BOUND_S, TimeUnit.SECONDS);
            scenes.destroyForcibly();
            assertThat(ended).as(Files.readString(said)).isTrue();
        }
        assertThat(told).as(Files.readString(said)).exists();
        outcomes = Files.readAllLines(told).stream()
                .collect(Collectors.toMap(line -> line.split("\t", 2)[0], line -> line.split("\t", 2)[1]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SwitchoverListener_is_made_edited_saved_loaded_and_cleared",
                "BalancerTarget_is_made_edited_saved_loaded_and_cleared",
                "WhoAnswered_is_made_edited_saved_loaded_and_cleared",
                "BalancerProbe_is_made_edited_saved_loaded_and_cleared",
                "HaproxyStats_is_made_edited_saved_loaded_and_cleared",
                "NginxStatus_is_made_edited_saved_loaded_and_cleared",
                "MasterKill_is_made_edited_saved_loaded_and_cleared",
                "a_judged_run_shows_the_lines_of_its_verdict",
                "names_of_the_network_are_shown_as_plain_text",
                "a_fault_at_a_real_target_is_asked_for_and_no_is_the_default",
                "nothing_is_left_when_the_window_is_gone"
            })
    void scene(String name) {
        assertThat(outcomes.get(name)).isEqualTo("ok");
    }
}
