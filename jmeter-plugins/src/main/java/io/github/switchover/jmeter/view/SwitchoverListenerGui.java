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
import java.awt.GridBagConstraints;
import java.awt.GridBagLayout;
import java.awt.Insets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.swing.ImageIcon;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JTabbedPane;
import javax.swing.JTextField;
import org.apache.jmeter.gui.UnsharedComponent;
import org.apache.jmeter.samplers.Clearable;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.visualizers.gui.AbstractListenerGui;

/** The Switchover Listener in JMeter's window. It shows the run while the run is in progress. */
public final class SwitchoverListenerGui extends AbstractListenerGui implements Clearable, UnsharedComponent {

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

    /** Returns the run that is in progress in this JVM, or the last run; null before the first run. */
    private static RunState currentRun() {
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

    /**
     * The listener's settings. They apply to a run that the listener starts itself. If the plan has a Balancer Target,
     * its settings apply instead.
     */
    static final class ListenerSettings extends JPanel {

        private final Map<String, JTextField> fields = new LinkedHashMap<>();
        private final JPanel rows = new JPanel(new GridBagLayout());

        ListenerSettings() {
            super(new BorderLayout());
            row(SwitchoverListener.OUT, "Folder of the runs:", "runs", "Each test makes a run directory in it");
            row(SwitchoverListener.RUN_NAME, "Name of the run:", "the plan's", "Part of the run directory's name");
            row(SwitchoverListener.BACKEND_HEADER, "Header that names the backend:", "X-Backend", "Of the answers");
            row(SwitchoverListener.BALANCER_HEADER, "Header that names the balancer:", "X-Balancer", "Of the answers");
            GridBagConstraints place = place(0);
            place.gridwidth = 2;
            rows.add(
                    new JLabel("Used only if the plan has no Balancer Target, whose settings apply otherwise."), place);
            add(rows, BorderLayout.NORTH);
        }

        void readFrom(SwitchoverListener listener) {
            fields.forEach((key, field) -> field.setText(listener.getPropertyAsString(key)));
        }

        void writeTo(SwitchoverListener listener) {
            fields.forEach((key, field) -> listener.setProperty(key, field.getText(), ""));
        }

        void clear() {
            readFrom(new SwitchoverListener());
        }

        private void row(String key, String words, String empty, String hint) {
            JTextField field = new JTextField(40);
            JLabel label = new JLabel(words);
            label.setLabelFor(field);
            field.setToolTipText(hint + "; empty: " + empty);
            field.setName(words);
            fields.put(key, field);
            rows.add(label, place(0));
            GridBagConstraints place = place(1);
            place.weightx = 1;
            rows.add(field, place);
        }

        private static GridBagConstraints place(int column) {
            GridBagConstraints place = new GridBagConstraints();
            place.gridx = column;
            place.anchor = GridBagConstraints.LINE_START;
            place.fill = column == 0 ? GridBagConstraints.NONE : GridBagConstraints.HORIZONTAL;
            place.insets = new Insets(4, 6, 4, 6);
            return place;
        }
    }
}
