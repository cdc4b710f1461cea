package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A change in one file of the tables is a change of the plugin. {@code test_changed_tables.py} makes the same change. */
class ChangedTablesTest {

    @TempDir
    private Path folder;

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("changed_tables.json", "cases")
                .filter(named -> !"options.toml".equals(named.getPayload().get("table")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_change_in_one_table_reaches_the_plugin(Map<String, Object> vector) throws Exception {
        ClassLoader changed = new ChangedTable(vector);
        Path file = Files.writeString(folder.resolve("target.toml"), "[target]\nurl = \"http://x/\"\nsni = \"x\"\n");
        String error = "";
        try {
            Class<?> reader = changed.loadClass("io.github.switchover.jmeter.target.TargetFile");
            reader.getMethod("load", Path.class).invoke(null, file);
        } catch (InvocationTargetException refused) {
            error = String.valueOf(refused.getCause().getMessage());
        }
        assertThat(error.contains("server_name")).isEqualTo("target.toml".equals(vector.get("table")));
        Object kind = changed.loadClass("io.github.switchover.jmeter.recording.ResultReader$ResultFailure")
                .getMethod("kindOf", String.class, String.class, boolean.class)
                .invoke(null, "Non HTTP response code: java.io.IOException", "ICMP: Port Unreachable", false);
        assertThat(kind).hasToString("failures.json".equals(vector.get("table")) ? "REFUSED" : "RESET");
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
                String changed = text.replace((String) change.get("old"), (String) change.get("new"));
                return new ByteArrayInputStream(changed.getBytes(StandardCharsets.UTF_8));
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }
}
