package io.github.switchover.jmeter.element;

import java.beans.IndexedPropertyDescriptor;
import java.beans.IntrospectionException;
import java.beans.PropertyDescriptor;
import java.util.Arrays;
import java.util.ResourceBundle;
import org.apache.jmeter.testbeans.BeanInfoSupport;
import org.apache.jmeter.testbeans.TestBean;
import org.apache.jmeter.testbeans.gui.TypeEditor;

/** How an element of ours is shown: all its fields are text, so that each takes variables and functions. */
abstract class ElementBeanInfo extends BeanInfoSupport {

    /** Attribute of a field: what stands there in a new element. */
    static final String USUAL = DEFAULT;

    private static final int TOOLTIP_PX = 320;

    /** Set by the superclass's constructor, which asks for the fields. */
    private PropertyDescriptor[] fields;

    ElementBeanInfo(Class<? extends TestBean> element) {
        super(element);
        setIcon(element.getSimpleName() + ".png");
    }

    /** Copies: Java shares the descriptors of inherited fields between all subclasses, and with them their defaults. */
    @Override
    public PropertyDescriptor[] getPropertyDescriptors() {
        if (fields == null) {
            fields = Arrays.stream(super.getPropertyDescriptors())
                    .map(ElementBeanInfo::copy)
                    .toArray(PropertyDescriptor[]::new);
        }
        return fields.clone();
    }

    private static PropertyDescriptor copy(PropertyDescriptor shared) {
        if (shared instanceof IndexedPropertyDescriptor) {
            return shared;
        }
        try {
            return new PropertyDescriptor(shared.getName(), shared.getReadMethod(), shared.getWriteMethod());
        } catch (IntrospectionException error) {
            throw new IllegalStateException(error);
        }
    }

    void group(String name, String... fields) {
        createPropertyGroup(name, fields);
    }

    /** {@code usual}: what stands there in a new element. */
    void field(String name, String usual) {
        edited(name, usual, FieldEditor.Shape.LINE);
    }

    /** With room for lines. */
    void lines(String name, String usual) {
        edited(name, usual, FieldEditor.Shape.LINES);
    }

    /** With a button that looks for a file. */
    void file(String name, String usual) {
        edited(name, usual, FieldEditor.Shape.FILE);
    }

    /** The first of the choices stands in a new element. A plan has them as they are; the window by a text, where they have one. */
    void choice(String name, String... choices) {
        PropertyDescriptor field = shown(property(name), choices[0], "");
        field.setValue(TAGS, choices);
        ResourceBundle texts = (ResourceBundle) getBeanDescriptor().getValue(RESOURCE_BUNDLE);
        if (texts.containsKey(choices[0])) {
            field.setValue(RESOURCE_BUNDLE, texts);
        }
    }

    /** With JMeter's editor of long texts, which numbers its lines; empty in a new element, for it knows no other default. */
    void text(String name) {
        shown(property(name, TypeEditor.TextAreaEditor), "", "");
    }

    private void edited(String name, String usual, FieldEditor.Shape shape) {
        ResourceBundle texts = (ResourceBundle) getBeanDescriptor().getValue(RESOURCE_BUNDLE);
        String empty = texts.getString(name + ".empty");
        PropertyDescriptor field = shown(property(name), usual, " Empty: " + empty + ".");
        field.setPropertyEditorClass(FieldEditor.class);
        field.setValue(FieldEditor.SHAPE, shape);
        field.setValue(FieldEditor.EMPTY, empty);
    }

    /** Swing shows a plain tooltip in one line, however wide. */
    private static String inLines(String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return "<html><body style='width: " + TOOLTIP_PX + "px'>" + escaped + "</body></html>";
    }

    private static PropertyDescriptor shown(PropertyDescriptor field, String usual, String more) {
        field.setValue(NOT_UNDEFINED, true);
        field.setValue(DEFAULT, usual);
        field.setShortDescription(inLines(field.getShortDescription() + more));
        return field;
    }
}
