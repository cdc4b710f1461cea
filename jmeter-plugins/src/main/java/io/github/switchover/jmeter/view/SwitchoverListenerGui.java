package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.drill.Drill;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.element.SwitchoverListener;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.engine.JMeterWindow;
import io.github.switchover.jmeter.view.live.RunViewer;
import java.awt.BorderLayout;
import java.nio.file.Path;
import java.util.List;
import javax.swing.ImageIcon;
import javax.swing.JTabbedPane;
import org.apache.jmeter.gui.UnsharedComponent;
import org.apache.jmeter.samplers.Clearable;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.visualizers.gui.AbstractListenerGui;

/** The Switchover Listener in JMeter's window: the run as it goes on. */
public final class SwitchoverListenerGui extends AbstractListenerGui implements Clearable, UnsharedComponent {

    private static final long serialVersionUID = 1L;
    private static final String LABEL = "Switchover Listener";

    static {
        JMeterWindow.showInTree(
                SwitchoverListenerGui.class,
                new ImageIcon(SwitchoverListenerGui.class.getResource("SwitchoverListener.png")));
    }

    private final ListenerSettings settings = new ListenerSettings();
    private final transient RunViewer viewing = new RunViewer(SwitchoverListenerGui::currentRun);
    private final RunPanel run = new RunPanel(viewing, SwitchoverListenerGui::lastNote);

    public SwitchoverListenerGui() {
        setLayout(new BorderLayout(0, 5));
        setBorder(makeBorder());
        add(makeTitlePanel(), BorderLayout.NORTH);
        JTabbedPane tabs = new JTabbedPane();
        tabs.addTab("Run", run);
        tabs.addTab("Settings", settings);
        add(tabs, BorderLayout.CENTER);
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
        if (element instanceof SwitchoverListener listener) {
            settings.writeTo(listener);
        }
    }

    @Override
    public void configure(TestElement element) {
        super.configure(element);
        if (element instanceof SwitchoverListener listener) {
            settings.readFrom(listener);
        }
    }

    @Override
    public void clearGui() {
        super.clearGui();
        settings.clear();
    }

    @Override
    public void clearData() {
        viewing.clear();
        run.look();
    }

    RunPanel run() {
        return run;
    }

    /** The directory of the run that is on in this JVM, or was the last; null before the first. */
    private static Path currentRun() {
        Drill drill = Runs.ofThisJvm().current();
        RunResult last = drill == null ? Runs.ofThisJvm().last() : null;
        return drill != null ? drill.directory() : last != null ? last.directory() : null;
    }

    /** A refusal, or what was fired and healed; of no run, whether there will be one. */
    private static String lastNote(String run) {
        if (run.isEmpty()) {
            return CurrentTest.startedMs() == 0 ? "" : "the test has started, and nothing is recorded yet";
        }
        Drill drill = Runs.ofThisJvm().current();
        List<String> notes = drill == null || !drill.directory().endsWith(run) ? List.of() : drill.notes();
        return notes.isEmpty() ? "" : notes.get(notes.size() - 1);
    }
}
