package io.github.switchover.jmeter.view;

import java.awt.Dimension;
import java.awt.FontMetrics;
import javax.swing.BorderFactory;
import javax.swing.JScrollPane;
import javax.swing.JTextArea;

/** A page of help. */
final class HelpText extends JScrollPane {

    private static final long serialVersionUID = 1L;
    private static final int LETTERS = 90;
    private static final int LINES = 32;

    private final JTextArea area;

    HelpText(String text) {
        area = new JTextArea(text);
        area.setEditable(false);
        area.setLineWrap(true);
        area.setWrapStyleWord(true);
        area.setCaretPosition(0);
        area.setBorder(BorderFactory.createEmptyBorder(8, 10, 8, 10));
        setViewportView(area);
    }

    /** For a window of its own, in any font. */
    Dimension comfortableSize() {
        FontMetrics font = area.getFontMetrics(area.getFont());
        return new Dimension(LETTERS * font.charWidth('n'), LINES * font.getHeight());
    }

    String text() {
        return area.getText();
    }
}
