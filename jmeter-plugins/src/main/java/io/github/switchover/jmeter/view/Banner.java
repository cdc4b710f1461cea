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
        return shown == null ? "" : shown.status() + " " + String.join(" ", shown.says());
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
        JLabel status = new JLabel(shown.status().toUpperCase(Locale.ROOT));
        status.setForeground(palette.surface().text());
        status.setFont(status.getFont().deriveFont(Font.BOLD, status.getFont().getSize2D() * LARGER));
        status.setVerticalAlignment(SwingConstants.TOP);
        add(status, BorderLayout.WEST);
        add(statuses(palette), BorderLayout.CENTER);
        revalidate();
        repaint();
    }

    /** As text that wraps, and can be copied. */
    private JTextArea statuses(Palette palette) {
        List<String> all = new ArrayList<>(List.of(String.join("     ", shown.says())));
        all.addAll(shown.lines());
        JTextArea statuses = new JTextArea(String.join("\n", all));
        statuses.setEditable(false);
        statuses.setOpaque(false);
        statuses.setLineWrap(true);
        statuses.setWrapStyleWord(true);
        statuses.setBorder(BorderFactory.createEmptyBorder(3, 0, 0, 0));
        statuses.setMargin(new Insets(0, 0, 0, 0));
        statuses.setForeground(palette.surface().text());
        statuses.setFont(getFont());
        statuses.setMinimumSize(new Dimension());
        return statuses;
    }
}
