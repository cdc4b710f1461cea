package io.github.switchover.jmeter.engine;

import java.util.ArrayList;
import java.util.List;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.InvalidVariableException;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.property.JMeterProperty;
import org.apache.jmeter.testelement.property.PropertyIterator;
import org.apache.jmeter.testelement.property.StringProperty;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterVariables;

/** Resolves the variables in an element on the client of a remote test: JMeter resolves them only on servers. */
public final class ClientSide {

    public static void fill(TestElement element) {
        List<StringProperty> texts = new ArrayList<>();
        for (PropertyIterator all = element.propertyIterator(); all.hasNext(); ) {
            JMeterProperty property = all.next();
            if (property instanceof StringProperty text && text.getStringValue().contains("${")) {
                texts.add(text);
            }
        }
        JMeterContext context = JMeterContextService.getContext();
        JMeterVariables before = context.getVariables();
        context.setVariables(variables());
        try {
            texts.forEach(text -> element.setProperty(text.getName(), value(text.getStringValue())));
        } finally {
            context.setVariables(before);
        }
    }

    /** Returns the variables of the plan, including its User Defined Variables. */
    private static JMeterVariables variables() {
        JMeterVariables known = JMeterContextService.getClientSideVariables();
        return known == null ? new JMeterVariables() : known;
    }

    private static String value(String text) {
        CompoundVariable value = new CompoundVariable();
        try {
            value.setParameters(text);
            return value.execute();
        } catch (InvalidVariableException error) {
            return text;
        }
    }
}
