package io.github.switchover.jmeter.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.element.ArmingQuestionScene;
import io.github.switchover.jmeter.element.BalancerProbe;
import io.github.switchover.jmeter.element.BalancerTarget;
import io.github.switchover.jmeter.element.HaproxyStats;
import io.github.switchover.jmeter.element.MasterKill;
import io.github.switchover.jmeter.element.NginxStatus;
import io.github.switchover.jmeter.element.WhoAnswered;
import io.github.switchover.jmeter.run.Journal;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Judge;
import io.github.switchover.jmeter.verdict.RunData;
import io.github.switchover.jmeter.verdict.RunLoader;
import io.github.switchover.jmeter.verdict.Summary;
import io.github.switchover.jmeter.verdict.Verdict;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import java.awt.Component;
import java.awt.Container;
import java.awt.EventQueue;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import javax.swing.JComponent;
import org.apache.jmeter.testelement.TestElement;

/** What is done with windows, scene by scene; how each went is written into a file. */
final class GuiScenes {

    private static final List<Class<? extends TestElement>> BEANS = List.of(
            BalancerTarget.class,
            WhoAnswered.class,
            BalancerProbe.class,
            HaproxyStats.class,
            NginxStatus.class,
            MasterKill.class);

    private final Path folder;

    private GuiScenes(Path folder) {
        this.folder = folder;
    }

    private interface Scene {
        void play() throws Exception;
    }

    public static void main(String[] arguments) throws IOException {
        GuiScenes scenes = new GuiScenes(Path.of(arguments[0]));
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("SwitchoverListener_is_made_edited_saved_loaded_and_cleared", ElementScene::play);
        BEANS.forEach(bean ->
                all.put(bean.getSimpleName() + "_is_made_edited_saved_loaded_and_cleared", () -> BeanScene.play(bean)));
        all.put("a_judged_run_shows_the_lines_of_its_verdict", scenes::opened);
        all.put("names_of_the_network_are_shown_as_plain_text", scenes::names);
        all.put("a_fault_at_a_real_target_is_asked_for_and_no_is_the_default", ArmingQuestionScene::play);
        all.put("nothing_is_left_when_the_window_is_gone", scenes::gone);
        StringBuilder told = new StringBuilder();
        JMeterHome.load();
        all.forEach((name, scene) ->
                told.append(name).append('\t').append(play(scene)).append('\n'));
        Files.writeString(Path.of(arguments[1]), told);
        System.exit(0);
    }

    /** How it went: ok, or what was thrown. */
    private static String play(Scene scene) {
        try {
            scene.play();
            return "ok";
        } catch (Exception | LinkageError | AssertionError error) {
            error.printStackTrace();
            return String.valueOf(error).replaceAll("\\s+", " ");
        }
    }

    private void opened() throws Exception {
        RunState run = judged();
        try (PanelWindow window = new PanelWindow(() -> run)) {
            window.verdictReached();
            String status = run.result().summary().get(0).toLowerCase(Locale.ROOT);
            Until.reached(() -> inWindow(window.panel()::headline).contains(status), status::toString);
        }
    }

    private void names() throws Exception {
        String name = "<html><h1>big<img src=http://198.18.0.1/>";
        Path run = Files.createDirectory(folder.resolve("names"));
        long nowS = System.currentTimeMillis() / 1000;
        RunState state =
                new RunState(run, Run.named("names", "names").with(PlanTimes.NOTHING.started(nowS * 1_000_000)), null);
        try (Journal journal = new Journal(run.resolve("journal.lp"), Map.of())) {
            journal.write(
                    "switchover_requests",
                    Map.of("answered_by", "backend", "backend", name, "balancer", name, "outcome", "good"),
                    Map.of("count", FieldValue.of(1L)),
                    nowS * 1_000_000_000L);
        }
        try (PanelWindow window = new PanelWindow(() -> state)) {
            window.headlineReached("running");
            Until.reached(() -> window.requests() == 1, () -> "no request is shown");
            BufferedImage image = window.painted();
            assertThat(image.getWidth()).isEqualTo(PanelWindow.WIDTH);
            assertThat(inWindow(() -> htmlViews(window.panel()))).isZero();
        }
    }

    private void gone() throws Exception {
        PanelWindow window = new PanelWindow(() -> null);
        Until.reached(GuiScenes::isViewed);
        window.close();
        Until.reached(() -> !isViewed());
    }

    private static boolean isViewed() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("switchover view"));
    }

    /** A drill with a load, judged. */
    private RunState judged() throws IOException {
        Path run = Files.createDirectory(folder.resolve("opened"));
        RunFolder.write(
                run,
                Contract.plain("verdicts.json", "cases")
                        .map(vector -> Vectors.run(vector.getPayload()))
                        .filter(data -> data.samples().iterator().hasNext()
                                && data.run().plan().firedFromUs() != null)
                        .findFirst()
                        .orElseThrow());
        RunData data = RunLoader.load(run);
        Verdict verdict = Judge.judge(data);
        List<String> lines = Summary.lines(data.run(), verdict, "in verdict.json");
        return new RunState(run, data.run(), new RunResult(run, data.run(), verdict, lines));
    }

    private static int htmlViews(Component component) {
        int found = component instanceof JComponent swing && swing.getClientProperty("html") != null ? 1 : 0;
        if (component instanceof Container container) {
            for (Component child : container.getComponents()) {
                found += htmlViews(child);
            }
        }
        return found;
    }

    /** Done by the window's thread. */
    static <T> T inWindow(Callable<T> what) {
        FutureTask<T> task = new FutureTask<>(what);
        EventQueue.invokeLater(task);
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException error) {
            throw new IllegalStateException(error);
        }
    }
}
