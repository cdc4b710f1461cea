package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerBase;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testbeans.TestBean;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.property.JMeterProperty;
import org.apache.jmeter.testelement.property.PropertyIterator;
import org.apache.jorphan.collections.SearchByClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The test plans that come along, as JMeter reads them. */
@ExtendWith(JMeterHome.class)
class TestPlansTest {

    private static final Path FOLDER = Path.of("testplans", "jmeter");
    private static final Set<String> OF_EVERY_ELEMENT = Set.of(
            TestElement.NAME, TestElement.GUI_CLASS, TestElement.TEST_CLASS, TestElement.ENABLED, TestElement.COMMENTS);

    static List<Path> plans() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(path -> path.toString().endsWith(".jmx"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void there_are_four() throws IOException {
        assertThat(plans())
                .extracting(path -> path.getFileName().toString())
                .containsExactly("drill.jmx", "remote.jmx", "shop.jmx", "telemetry.jmx");
    }

    @ParameterizedTest
    @MethodSource("plans")
    void every_element_and_every_field_of_ours_is_known(Path plan) throws IOException, IntrospectionException {
        Set<Class<?>> ours = new HashSet<>();
        for (TestElement element : elements(plan)) {
            if (element.getClass().getPackage().equals(BalancerTarget.class.getPackage())) {
                ours.add(element.getClass());
                assertThat(known(element)).as(element.getName()).containsAll(names(element));
            }
            assertThat(SaveService.aliasToClass(element.getPropertyAsString(TestElement.GUI_CLASS)))
                    .as("window of %s", element.getName())
                    .satisfies(Class::forName);
        }
        assertThat(ours).contains(BalancerTarget.class);
    }

    @ParameterizedTest
    @MethodSource("plans")
    void every_field_of_a_balancer_target_is_filled_in_or_meant_to_be_empty(Path plan)
            throws IOException, IntrospectionException {
        for (TestElement element : elements(plan)) {
            if (element instanceof BalancerTarget) {
                Set<String> missing = known(element);
                missing.removeAll(names(element));
                missing.removeAll(OF_EVERY_ELEMENT);
                assertThat(missing).isEmpty();
                assertThat(element.getPropertyAsString("targetFile")).isEqualTo("${__P(switchover.target,)}");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("plans")
    void no_request_waits_for_ever(Path plan) throws IOException {
        List<TestElement> elements = elements(plan);
        boolean asks = elements.stream().anyMatch(HTTPSamplerBase.class::isInstance);
        boolean bounded = elements.stream()
                .anyMatch(element -> !element.getPropertyAsString(HTTPSamplerBase.CONNECT_TIMEOUT)
                                .isEmpty()
                        && !element.getPropertyAsString(HTTPSamplerBase.RESPONSE_TIMEOUT)
                                .isEmpty());
        assertThat(bounded).isEqualTo(asks);
    }

    @Test
    void the_templates_are_plans_that_are_there() throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        var names = factory.newDocumentBuilder()
                .parse(FOLDER.resolve("templates.xml").toFile())
                .getElementsByTagName("fileName");
        assertThat(names.getLength()).isEqualTo(plans().size());
        for (int i = 0; i < names.getLength(); i++) {
            assertThat(FOLDER.resolve(names.item(i).getTextContent())).isIn(plans());
        }
    }

    private static List<TestElement> elements(Path plan) throws IOException {
        SearchByClass<TestElement> found = new SearchByClass<>(TestElement.class);
        SaveService.loadTree(plan.toFile()).traverse(found);
        return List.copyOf(found.getSearchResults());
    }

    private static Set<String> names(TestElement element) {
        Set<String> names = new TreeSet<>();
        for (PropertyIterator all = element.propertyIterator(); all.hasNext(); ) {
            JMeterProperty property = all.next();
            names.add(property.getName());
        }
        return names;
    }

    /** What its window can show. */
    private static Set<String> known(TestElement element) throws IntrospectionException {
        Set<String> known = new TreeSet<>(OF_EVERY_ELEMENT);
        if (!(element instanceof SwitchoverListener)) {
            assertThat(element).isInstanceOf(TestBean.class);
            BeanInfo info = Introspector.getBeanInfo(element.getClass());
            Arrays.stream(info.getPropertyDescriptors())
                    .filter(field -> field.getValue("default") != null)
                    .forEach(field -> known.add(field.getName()));
        }
        return known;
    }
}
