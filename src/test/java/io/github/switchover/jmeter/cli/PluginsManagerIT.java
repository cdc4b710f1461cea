package io.github.switchover.jmeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** What JMeter's Plugins Manager is told of the plugin; it takes an array of such entries, and no unknown keys. */
class PluginsManagerIT {

    private static final String VERSION = System.getProperty("switchover.version");

    @Test
    void the_entry_has_what_is_required_and_nothing_that_is_unknown() throws IOException {
        Map<String, Object> entry = entry();
        assertThat(entry)
                .containsOnlyKeys(
                        "id",
                        "name",
                        "description",
                        "helpUrl",
                        "screenshotUrl",
                        "vendor",
                        "markerClass",
                        "componentClasses",
                        "versions");
        for (String key : List.of("id", "name", "description", "helpUrl", "screenshotUrl", "vendor")) {
            assertThat((String) entry.get(key)).as(key).isNotBlank().doesNotContain("${");
        }
    }

    @Test
    void the_pages_that_it_links_to_are_in_the_checkout() throws IOException {
        Path checkout =
                Path.of(System.getProperty("switchover.descriptor")).getParent().getParent();
        for (String key : List.of("helpUrl", "screenshotUrl")) {
            String page = ((String) entry().get(key)).replaceFirst(".*/main/", "");
            assertThat(checkout.resolve(page)).as(key).exists();
        }
    }

    @Test
    void its_version_is_this_one() throws IOException {
        Map<String, Object> versions = Contract.map(entry().get("versions"));
        assertThat(versions).containsOnlyKeys(VERSION);
        assertThat(VERSION).matches("\\d+(\\.\\d+)*(-\\w+)?");
        Map<String, Object> version = Contract.map(versions.get(VERSION));
        assertThat(version).containsOnlyKeys("changes", "downloadUrl");
        assertThat((String) version.get("downloadUrl")).endsWith("/jmeter-switchover-" + VERSION + ".jar");
    }

    /** By its marker class the Plugins Manager knows what is installed. */
    @Test
    void its_classes_are_in_the_jar() throws IOException {
        List<?> components = (List<?>) entry().get("componentClasses");
        assertThat(components).doesNotHaveDuplicates();
        assertThat(components.contains(entry().get("markerClass"))).isTrue();
        try (JarFile jar = new JarFile(System.getProperty("switchover.jar"))) {
            for (Object name : components) {
                String file = ((String) name).replace('.', '/') + ".class";
                assertThat(jar.getEntry(file)).as(file).isNotNull();
            }
        }
    }

    private static Map<String, Object> entry() throws IOException {
        String text = Files.readString(Path.of(System.getProperty("switchover.descriptor")));
        List<?> entries = (List<?>) Contract.json("{\"entries\": " + text + "}").get("entries");
        assertThat(entries).hasSize(1);
        return Contract.map(entries.get(0));
    }
}
