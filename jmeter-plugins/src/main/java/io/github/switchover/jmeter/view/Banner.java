package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.Headline;
import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Insets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.swing.BorderFactory;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JTextArea;
import javax.swing.SwingConstants;

/** The headline: what is going on, or what it came to, and why. */
final class Banner extends JPanel {

    private static final long serialVersionUID = 1L;
    private static final float LARGER = 1.25f;

    private transient Headline shown;

    Banner() {
        super(new BorderLayout(16, 0));
    }

    void show(Headline headline) {
        if (headline.equals(shown)) {
            return;
        }
        shown = headline;
        fill();
    }

    @Override
    public void updateUI() {
        super.updateUI();
        if (shown != null) {
            fill();
        }
    }

    /** What is said, as text. */
    String text() {
        return shown == null ? "" : shown.word() + " " + String.join(" ", shown.says());
    }

    private void fill() {
        Palette palette = Palette.now();
        setBackground(
                switch (shown.tone()) {
                    case PLAIN -> palette.surface().track();
                    case GOOD -> palette.grounds().good();
                    case WARN -> palette.grounds().warn();
                    case BAD -> palette.grounds().bad();
                });
        Color edge = switch (shown.tone()) {
            case PLAIN -> palette.surface().quiet();
            case GOOD -> palette.events().good();
            case WARN -> palette.outcomes().late();
            case BAD -> palette.outcomes().failed();
        };
        setBorder(BorderFactory.createCompoundBorder(
                BorderFactory.createMatteBorder(0, 4, 0, 0, edge), BorderFactory.createEmptyBorder(4, 10, 4, 8)));
        removeAll();
        JLabel word = new JLabel(shown.word().toUpperCase(Locale.ROOT));
        word.setForeground(palette.surface().text());
        word.setFont(word.getFont().deriveFont(Font.BOLD, word.getFont().getSize2D() * LARGER));
        word.setVerticalAlignment(SwingConstants.TOP);
        add(word, BorderLayout.WEST);
        add(words(palette), BorderLayout.CENTER);
        revalidate();
        repaint();
    }

    /** As text that wraps, and can be copied. */
    private JTextArea words(Palette palette) {
        List<String> all = new ArrayList<>(List.of(String.join("     ", shown.says())));
        all.addAll(shown.lines());
        JTextArea words = new JTextArea(String.join("\n", all));
        words.setEditable(false);
        words.setOpaque(false);
        words.setLineWrap(true);
        words.setWrapStyleWord(true);
        words.setBorder(BorderFactory.createEmptyBorder(3, 0, 0, 0));
        words.setMargin(new Insets(0, 0, 0, 0));
        words.setForeground(palette.surface().text());
        words.setFont(getFont());
        words.setMinimumSize(new Dimension());
        return words;
    }
}
