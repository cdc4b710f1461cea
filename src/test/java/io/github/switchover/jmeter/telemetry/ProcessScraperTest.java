package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.telemetry.MachineScraper.ProcessScraper;
import io.github.switchover.jmeter.telemetry.Scraper.Reading;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessScraperTest {

    @Test
    void cpu_is_of_the_time_since_the_scrape_before() {
        ProcessScraper scraper = new ProcessScraper("jmeter");
        Reading first = scraper.scrape(System.nanoTime()).get(0);
        assertThat(first.measurement()).isEqualTo("switchover_process");
        assertThat(first.tags()).isEqualTo(Map.of("node", "client", "process", "jmeter"));
        assertThat(first.fields()).containsOnlyKeys("rss_bytes", "load1");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long untilNs = threads.getCurrentThreadCpuTime() + 50_000_000;
        while (threads.getCurrentThreadCpuTime() < untilNs) {
            Thread.onSpinWait();
        }
        long secondNs = System.nanoTime();
        Reading second = scraper.scrape(secondNs).get(0);
        assertThat(second.fields().get("cpu_percent"))
                .isInstanceOfSatisfying(
                        FieldValue.Decimal.class, cpu -> assertThat(cpu.value()).isPositive());
        assertThat(scraper.scrape(secondNs).get(0).fields()).doesNotContainKey("cpu_percent");
    }
}
