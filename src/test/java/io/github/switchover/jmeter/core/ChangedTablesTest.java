package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.VectorSource;
import java.beans.BeanInfo;
import java.beans.PropertyDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** A change in one file of the tables is a change of the plugin. {@code test_changed_tables.py} makes the same change. */
class ChangedTablesTest {

    @TempDir
    private Path folder;

    @BeforeAll
    static void prepare() {
        JMeterHome.load();
    }

    @ParameterizedTest
    @VectorSource(file = "changed_tables.json", table = "cases")
    void a_change_in_one_table_reaches_the_plugin(Map<String, Object> vector) throws Exception {
        ClassLoader changed = new ChangedTable(vector);
        Object table = vector.get("table");
        Path file = Files.writeString(folder.resolve("target.toml"), "[target]\nurl = \"http://x/\"\nsni = \"x\"\n");
        Method load = changed.loadClass("io.github.switchover.jmeter.target.TargetFile")
                .getMethod("load", Path.class);
        assertThat(refusal(load, file).contains("server_name")).isEqualTo("target.toml".equals(table));
        Method parse =
                changed.loadClass("io.github.switchover.jmeter.verdict.Limit").getMethod("parse", String.class);
        assertThat(refusal(parse, "late=20"))
                .isEqualTo(
                        "limits.toml".equals(table)
                                ? "limit 'late=20': '20' is not a limit for late: write for example late=2%"
                                : "");
        Object kind = changed.loadClass("io.github.switchover.jmeter.recording.ResultReader$ResultFailure")
                .getMethod("kindOf", String.class, String.class, boolean.class)
                .invoke(null, "Non HTTP response code: java.io.IOException", "ICMP: Port Unreachable", false);
        assertThat(kind).hasToString("failures.json".equals(table) ? "REFUSED" : "RESET");
        BeanInfo info = (BeanInfo) changed.loadClass("io.github.switchover.jmeter.element.BalancerTargetBeanInfo")
                .getConstructor()
                .newInstance();
        PropertyDescriptor scrape = Stream.of(info.getPropertyDescriptors())
                .filter(field -> field.getName().equals("scrapeInterval"))
                .findFirst()
                .orElseThrow();
        assertThat(scrape.getShortDescription()
                        .contains(">Time from scrape to scrape. Empty: " + scrape.getValue("default")))
                .isEqualTo("options.toml".equals(table));
    }

    private static String refusal(Method read, Object value) throws IllegalAccessException {
        try {
            read.invoke(null, value);
            return "";
        } catch (InvocationTargetException refused) {
            return String.valueOf(refused.getCause().getMessage());
        }
    }

    /** Loads the classes of the plugin again, with one changed table. */
    private static final class ChangedTable extends ClassLoader {

        private final Map<String, Object> change;

        ChangedTable(Map<String, Object> change) {
            super(ChangedTablesTest.class.getClassLoader());
            this.change = change;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.github.switchover.") || findLoadedClass(name) != null) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            InputStream file = super.getResourceAsStream(name);
            if (file == null || !name.endsWith("/tables/" + change.get("table"))) {
                return file;
            }
            try (file) {
                String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
                String changed = text.replaceAll(
                        (String) change.get("old"), Matcher.quoteReplacement((String) change.get("new")));
                return new ByteArrayInputStream(changed.getBytes(StandardCharsets.UTF_8));
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }
}
