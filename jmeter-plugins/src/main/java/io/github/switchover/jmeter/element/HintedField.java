package io.github.switchover.jmeter.element;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import javax.swing.JTextField;
import javax.swing.text.JTextComponent;

/** A field that says, where it is empty, what that means. */
public final class HintedField extends JTextField {

    private static final long serialVersionUID = 1L;

    /** Of the text's colour in the hint's: more than 3 to 1 against the ground also in JMeter's dark look. */
    private static final double STRENGTH = 0.7;

    private final String hint;

    /** {@code empty}: the value that counts then; nothing is shown for an empty one. */
    public HintedField(String empty, int columns) {
        super(columns);
        hint = hint(empty);
        getAccessibleContext().setAccessibleDescription(hint);
    }

    static String hint(String empty) {
        return empty.isEmpty() ? "" : "empty: " + empty;
    }

    @Override
    protected void paintComponent(Graphics canvas) {
        super.paintComponent(canvas);
        paintHint(this, hint, canvas);
    }

    /** Where the first letter of its text would stand. */
    static void paintHint(JTextComponent field, String hint, Graphics canvas) {
        if (hint.isEmpty() || field.getDocument().getLength() > 0) {
            return;
        }
        Graphics2D pen = (Graphics2D) canvas.create();
        pen.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        pen.setFont(field.getFont().deriveFont(Font.ITALIC));
        pen.setColor(colour(field.getForeground(), field.getBackground()));
        pen.drawString(hint, field.getInsets().left, field.getBaseline(field.getWidth(), field.getHeight()));
        pen.dispose();
    }

    static Color colour(Color text, Color ground) {
        return new Color(
                mixed(text.getRed(), ground.getRed()),
                mixed(text.getGreen(), ground.getGreen()),
                mixed(text.getBlue(), ground.getBlue()));
    }

    private static int mixed(int text, int ground) {
        return (int) Math.round(STRENGTH * text + (1 - STRENGTH) * ground);
    }
}
