package io.github.switchover.jmeter.view;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import javax.swing.BorderFactory;
import javax.swing.JScrollPane;
import javax.swing.JTextArea;

/** A page of help, from the jar. */
final class HelpText extends JScrollPane {

    private static final long serialVersionUID = 1L;

    HelpText(String name) {
        JTextArea area = new JTextArea(text(name));
        area.setEditable(false);
        area.setLineWrap(true);
        area.setWrapStyleWord(true);
        area.setCaretPosition(0);
        area.setBorder(BorderFactory.createEmptyBorder(8, 10, 8, 10));
        setViewportView(area);
    }

    private static String text(String name) {
        try (InputStream page = HelpText.class.getResourceAsStream(name)) {
            return page == null ? "" : new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            return "";
        }
    }
}
