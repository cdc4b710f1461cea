package io.github.switchover.jmeter;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** JMeter's settings in this JVM, as they come with it; an extension of tests that need them. */
public final class JMeterHome implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        load();
    }

    /** Once a JVM: JMeter keeps them in static fields. */
    public static synchronized void load() {
        if (JMeterUtils.getJMeterHome() != null) {
            return;
        }
        try {
            Path home = Files.createTempDirectory("jmeter");
            Path bin = Files.createDirectories(home.resolve("bin"));
            for (String name : List.of("jmeter.properties", "saveservice.properties", "upgrade.properties")) {
                try (InputStream file = JMeterUtils.class.getResourceAsStream("/bin/" + name)) {
                    Files.copy(file, bin.resolve(name));
                }
            }
            JMeterUtils.setJMeterHome(home.toString());
            JMeterUtils.loadJMeterProperties(bin.resolve("jmeter.properties").toString());
            JMeterUtils.setLocale(Locale.ENGLISH);
            SaveService.loadProperties();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
