package io.github.switchover.jmeter.view;

import java.awt.BorderLayout;
import java.io.File;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Consumer;
import javax.swing.JButton;
import javax.swing.JFileChooser;
import javax.swing.JPanel;
import javax.swing.JTextField;

/** Asks for a run directory or a JTL, by dialogue or by its path. */
final class OpenBar extends JPanel {

    private static final long serialVersionUID = 1L;

    private final JTextField field = new JTextField();
    private final transient Consumer<Path> open;

    OpenBar(Consumer<Path> open) {
        super(new BorderLayout(6, 0));
        this.open = open;
        JButton choose = new JButton("Open run or JTL…");
        choose.setName("open");
        choose.setToolTipText("A finished run directory, one that is still written, or any JTL (CSV)");
        choose.addActionListener(event -> choose());
        field.setName("path");
        field.setToolTipText("The path of a run directory or a JTL; Enter opens it");
        field.addActionListener(event -> open(field.getText().strip()));
        add(choose, BorderLayout.WEST);
        add(field, BorderLayout.CENTER);
    }

    private void choose() {
        JFileChooser chooser = new JFileChooser(start());
        chooser.setFileSelectionMode(JFileChooser.FILES_AND_DIRECTORIES);
        chooser.setDialogTitle("Open a run directory or a JTL");
        if (chooser.showOpenDialog(this) == JFileChooser.APPROVE_OPTION) {
            field.setText(chooser.getSelectedFile().getPath());
            open.accept(chooser.getSelectedFile().toPath());
        }
    }

    private void open(String path) {
        if (path.isEmpty()) {
            return;
        }
        try {
            open.accept(Path.of(path));
        } catch (InvalidPathException error) {
            field.selectAll();
        }
    }

    /** Beside what was opened last. */
    private File start() {
        File last = new File(field.getText());
        return field.getText().isEmpty() || last.getParentFile() == null ? new File(".") : last.getParentFile();
    }
}
