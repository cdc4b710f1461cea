package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.engine.JMeterWindow;
import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Component;
import java.awt.Font;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.beans.PropertyDescriptor;
import java.beans.PropertyEditorSupport;
import java.io.File;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.JTextArea;
import javax.swing.JTextField;
import javax.swing.text.JTextComponent;
import org.apache.jmeter.gui.ClearGui;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanPropertyEditor;
import org.apache.jmeter.util.JMeterUtils;

/**
 * Edits a field of an element in JMeter's window, and shows in an empty field the meaning of the empty value.
 * JMeter's editor of lines, and the one with a Browse button, forget the default of an element that is cleared.
 */
public final class FieldEditor extends PropertyEditorSupport implements TestBeanPropertyEditor, ClearGui {

    /** Attribute of a field: a {@link Shape}. */
    static final String SHAPE = "switchover.shape";

    /** Attribute of a field: the value that counts if it is empty. */
    static final String EMPTY = "switchover.empty";

    private static final String TARGET_FILES = ".toml";
    private static final int ROWS = 3;

    private JTextComponent text = new HintedField("", 0);
    private JComponent shown = text;
    private String usual = "";

    /** The input area of a field. */
    enum Shape {
        LINE,
        LINES,
        FILE
    }

    /** JMeter makes an editor without texts, and sets its field here. */
    @Override
    public void setDescriptor(PropertyDescriptor field) {
        usual = (String) field.getValue(GenericTestBeanCustomizer.DEFAULT);
        String empty = (String) field.getValue(EMPTY);
        Shape shape = (Shape) field.getValue(SHAPE);
        text = shape == Shape.LINES ? new HintedArea(HintedField.hint(empty)) : new HintedField(empty, 0);
        text.setToolTipText(field.getShortDescription());
        shown = switch (shape) {
            case LINE -> text;
            case LINES -> new JScrollPane(text);
            case FILE -> withButton();
        };
    }

    @Override
    public boolean supportsCustomEditor() {
        return true;
    }

    @Override
    public Component getCustomEditor() {
        return shown;
    }

    @Override
    public Object getValue() {
        return text.getText();
    }

    @Override
    public String getAsText() {
        return text.getText();
    }

    /** {@code value}: null for a plan that does not have this field yet. */
    @Override
    public void setValue(Object value) {
        text.setText(value == null ? usual : value.toString());
        text.setCaretPosition(0);
    }

    @Override
    public void setAsText(String value) {
        setValue(value);
    }

    @Override
    public void clearGui() {
        setValue(usual);
    }

    private JPanel withButton() {
        JButton browse = new JButton(JMeterUtils.getResString("browse"));
        browse.addActionListener(event -> browse());
        JPanel panel = new JPanel(new BorderLayout(5, 0));
        panel.add(text, BorderLayout.CENTER);
        panel.add(browse, BorderLayout.EAST);
        return panel;
    }

    private void browse() {
        File chosen = JMeterWindow.chooseFile(TARGET_FILES, text.getText());
        if (chosen != null) {
            setValue(chosen.getPath());
        }
    }

    /** Lines, with the same hint. */
    private static final class HintedArea extends JTextArea {

        private final String hint;

        HintedArea(String hint) {
            super(ROWS, 0);
            this.hint = hint;
            getAccessibleContext().setAccessibleDescription(hint);
        }

        @Override
        protected void paintComponent(Graphics canvas) {
            super.paintComponent(canvas);
            HintedField.paintHint(this, hint, canvas);
        }
    }

    /** A field that, while empty, shows the meaning of the empty value. */
    public static final class HintedField extends JTextField {

        /**
         * The share of the text's colour in the hint's colour: contrast of more than 3 to 1 with the background, also
         * in JMeter's dark look.
         */
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
}
