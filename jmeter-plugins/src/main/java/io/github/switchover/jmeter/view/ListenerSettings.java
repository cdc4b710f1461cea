package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.element.HintedField;
import io.github.switchover.jmeter.element.SwitchoverListener;
import java.awt.BorderLayout;
import java.awt.GridBagConstraints;
import java.awt.GridBagLayout;
import java.awt.Insets;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JTextField;

/** The listener's settings. All are for a run of its own: beside a Balancer Target, that one's count. */
final class ListenerSettings extends JPanel {

    private static final long serialVersionUID = 1L;

    private final JTextField out = new HintedField("runs", 40);
    private final JTextField runName = new HintedField("the plan's", 40);
    private final JTextField backendHeader = new HintedField("X-Backend", 40);
    private final JTextField balancerHeader = new HintedField("X-Balancer", 40);
    private final JPanel rows = new JPanel(new GridBagLayout());

    ListenerSettings() {
        super(new BorderLayout());
        row("Folder of the runs:", out, "Each test makes a run directory in it; empty: runs");
        row("Name of the run:", runName, "Part of the run directory's name; empty: the plan's");
        row("Header that names the backend:", backendHeader, "Of the answers; empty: X-Backend");
        row("Header that names the balancer:", balancerHeader, "Of the answers; empty: X-Balancer");
        GridBagConstraints place = place(0);
        place.gridwidth = 2;
        rows.add(new JLabel("Used where the plan has no Balancer Target; with one, its settings count."), place);
        add(rows, BorderLayout.NORTH);
    }

    void readFrom(SwitchoverListener listener) {
        out.setText(listener.getOut());
        runName.setText(listener.getRunName());
        backendHeader.setText(listener.getBackendHeader());
        balancerHeader.setText(listener.getBalancerHeader());
    }

    void writeTo(SwitchoverListener listener) {
        listener.setOut(out.getText());
        listener.setRunName(runName.getText());
        listener.setBackendHeader(backendHeader.getText());
        listener.setBalancerHeader(balancerHeader.getText());
    }

    void clear() {
        readFrom(new SwitchoverListener());
    }

    private void row(String words, JTextField field, String hint) {
        JLabel label = new JLabel(words);
        label.setLabelFor(field);
        field.setToolTipText(hint);
        field.setName(words);
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
