package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.element.SwitchoverListener;
import io.github.switchover.jmeter.engine.JMeterWindow;
import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.util.ResourceBundle;
import org.apache.jmeter.testelement.TestElement;

/** The help of an element: what it does, and what its fields take. All of it is in the jar. */
final class ElementHelp {

    private ElementHelp() {}

    static boolean isThereFor(TestElement element) {
        return element.getClass().getPackageName().equals(SwitchoverListener.class.getPackageName());
    }

    static String of(Class<? extends TestElement> element) {
        if (element == SwitchoverListener.class) {
            return ResourceText.read(ElementHelp.class, "listener-help.txt");
        }
        try {
            return ofBean(Introspector.getBeanInfo(element));
        } catch (IntrospectionException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String ofBean(BeanInfo info) {
        ResourceBundle texts = JMeterWindow.texts(info);
        StringBuilder page =
                new StringBuilder(info.getBeanDescriptor().getDisplayName() + "\n\n" + texts.getString("help") + "\n");
        String group = "";
        for (PropertyDescriptor field : JMeterWindow.fields(info)) {
            if (!JMeterWindow.groupOf(field).equals(group)) {
                group = JMeterWindow.groupOf(field);
                page.append("\n")
                        .append(texts.getString(group + ".displayName"))
                        .append("\n");
            }
            page.append("    ").append(line(field.getName(), texts)).append("\n");
        }
        return page.toString();
    }

    private static String line(String field, ResourceBundle texts) {
        String line = texts.getString(field + ".displayName") + ": " + texts.getString(field + ".shortDescription");
        String empty = field + ".empty";
        return texts.containsKey(empty) ? line + " Empty: " + texts.getString(empty) + "." : line;
    }
}
