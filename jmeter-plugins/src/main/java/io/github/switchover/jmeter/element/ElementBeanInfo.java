package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.element.ElementTable.FieldGroup;
import io.github.switchover.jmeter.element.ElementTable.FieldRow;
import java.awt.Image;
import java.beans.BeanDescriptor;
import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.PropertyDescriptor;
import java.beans.SimpleBeanInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.jspecify.annotations.Nullable;

/**
 * Describes the fields of an element to JMeter, from the element's table. All fields are text, so that each field
 * accepts variables and functions.
 */
abstract class ElementBeanInfo extends SimpleBeanInfo {

    private static final int TOOLTIP_PX = 320;

    private final BeanDescriptor element;
    private final List<PropertyDescriptor> fields = new ArrayList<>();

    ElementBeanInfo(Class<? extends TableBean> kind) {
        ElementTable table = ElementTable.of(kind);
        ResourceBundle texts = table.texts();
        element = new BeanDescriptor(kind);
        element.setDisplayName(table.title());
        element.setValue(GenericTestBeanCustomizer.RESOURCE_BUNDLE, texts);
        int groups = 0;
        for (FieldGroup group : table.groups()) {
            element.setValue(GenericTestBeanCustomizer.ORDER(group.name()), groups++);
            for (FieldRow row : group.fields()) {
                PropertyDescriptor field = described(row, texts);
                field.setValue(GenericTestBeanCustomizer.GROUP, group.name());
                field.setValue(GenericTestBeanCustomizer.ORDER, fields.size());
                fields.add(field);
            }
        }
    }

    @Override
    public BeanDescriptor getBeanDescriptor() {
        return element;
    }

    @Override
    public PropertyDescriptor[] getPropertyDescriptors() {
        return fields.toArray(PropertyDescriptor[]::new);
    }

    @Override
    public @Nullable Image getIcon(int kind) {
        return kind == BeanInfo.ICON_COLOR_16x16
                ? loadImage(element.getBeanClass().getSimpleName() + ".png")
                : null;
    }

    private static PropertyDescriptor described(FieldRow row, ResourceBundle texts) {
        PropertyDescriptor field;
        try {
            field = new PropertyDescriptor(
                    row.name(),
                    TableBean.class.getMethod("getField"),
                    TableBean.class.getMethod("setField", String.class));
        } catch (IntrospectionException | NoSuchMethodException error) {
            throw new IllegalStateException(error);
        }
        field.setDisplayName(row.title());
        field.setShortDescription(inLines(row.tooltip()));
        field.setValue(GenericTestBeanCustomizer.NOT_UNDEFINED, true);
        if (row.choices() != null) {
            String[] choices = row.choices().keySet().toArray(String[]::new);
            field.setValue(GenericTestBeanCustomizer.DEFAULT, choices[0]);
            field.setValue(GenericTestBeanCustomizer.TAGS, choices);
            field.setValue(GenericTestBeanCustomizer.RESOURCE_BUNDLE, texts);
            return field;
        }
        field.setValue(GenericTestBeanCustomizer.DEFAULT, row.initial());
        field.setPropertyEditorClass(FieldEditor.class);
        field.setValue(FieldEditor.IS_FILE, "file".equals(row.shape()));
        return field;
    }

    /** Wraps a tooltip: Swing shows a plain tooltip in one line of any width. */
    private static String inLines(String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return "<html><body style='width: " + TOOLTIP_PX + "px'>" + escaped + "</body></html>";
    }
}
