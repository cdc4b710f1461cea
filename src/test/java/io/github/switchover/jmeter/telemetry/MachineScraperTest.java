package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.telemetry.Scraper.Reading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux has /proc")
class MachineScraperTest {

    @Test
    void this_machine_tells_of_each_processor_and_of_a_thread() throws IOException {
        MachineScraper scraper = new MachineScraper();
        scraper.watch(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString());
        assertThat(scraper.scrape(0)).isEmpty();
        List<Reading> readings = scraper.scrape(0);
        assertThat(readings).hasSizeGreaterThan(1);
        Reading all = readings.get(readings.size() - 1);
        assertThat(all.tags()).isEqualTo(Map.of("node", "client", "processor", "all"));
        assertThat(all.fields()).containsOnlyKeys("stolen_ms", "softirq_ms", "running", "waited_ms");
        assertThat(all.fields().get("running"))
                .isInstanceOfSatisfying(
                        FieldValue.Whole.class,
                        running -> assertThat(running.value()).isPositive());
    }

    @Test
    void thread_that_is_gone_waits_for_nothing() {
        MachineScraper scraper = new MachineScraper();
        scraper.watch("4194305"); // beyond the largest pid that the kernel gives
        scraper.scrape(0);
        List<Reading> readings = scraper.scrape(0);
        assertThat(readings.get(readings.size() - 1).fields()).doesNotContainKey("waited_ms");
    }
}
