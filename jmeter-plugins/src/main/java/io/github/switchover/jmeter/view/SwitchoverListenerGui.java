package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.drill.Drill;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.element.SwitchoverListener;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.engine.JMeterWindow;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import io.github.switchover.jmeter.view.live.RunViewer;
import java.awt.BorderLayout;
import java.util.List;
import javax.swing.ImageIcon;
import org.apache.jmeter.gui.UnsharedComponent;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.visualizers.gui.AbstractListenerGui;
import org.jspecify.annotations.Nullable;

/** The Switchover Listener in JMeter's window. It shows the run while the run is in progress. */
public final class SwitchoverListenerGui extends AbstractListenerGui implements UnsharedComponent {

    private static final String LABEL = "Switchover Listener";

    static {
        JMeterWindow.showInTree(
                SwitchoverListenerGui.class,
                new ImageIcon(SwitchoverListenerGui.class.getResource("SwitchoverListener.png")));
    }

    public SwitchoverListenerGui() {
        setLayout(new BorderLayout(0, 5));
        setBorder(makeBorder());
        add(makeTitlePanel(), BorderLayout.NORTH);
        RunViewer viewer = new RunViewer(SwitchoverListenerGui::currentRun);
        add(new RunPanel(viewer, SwitchoverListenerGui::lastNote), BorderLayout.CENTER);
    }

    @Override
    public String getLabelResource() {
        return getClass().getSimpleName();
    }

    @Override
    public String getStaticLabel() {
        return LABEL;
    }

    @Override
    public TestElement createTestElement() {
        SwitchoverListener element = new SwitchoverListener();
        modifyTestElement(element);
        return element;
    }

    @Override
    public void modifyTestElement(TestElement element) {
        configureTestElement(element);
    }

    /** Returns the run that is in progress in this JVM, or the last run; null before the first run. */
    private static @Nullable RunState currentRun() {
        Drill drill = Runs.ofThisJvm().current();
        RunResult last = drill == null ? Runs.ofThisJvm().last() : null;
        return drill != null
                ? new RunState(drill.directory(), drill.run(), null)
                : last != null ? new RunState(last.directory(), last.run(), last) : null;
    }

    /** Returns the last message of the run. Without a run, it returns a note that the test has started. */
    private static String lastNote(String run) {
        if (run.isEmpty()) {
            return CurrentTest.startedMs() == 0 ? "" : "the test has started; nothing is recorded yet";
        }
        Drill drill = Runs.ofThisJvm().current();
        List<String> notes = drill == null || !drill.directory().endsWith(run) ? List.of() : drill.notes();
        return notes.isEmpty() ? "" : notes.get(notes.size() - 1);
    }
}
