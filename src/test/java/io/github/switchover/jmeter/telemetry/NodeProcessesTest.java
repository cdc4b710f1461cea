package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NodeProcessesTest {

    private static final long SECOND_NS = 1_000_000_000;

    private final NodeProcesses processes = new NodeProcesses("lb1", new Source.Command(List.of("true")));

    @Test
    void cpu_is_summed_over_the_processes_of_a_name_since_the_read_before() {
        assertThat(processes.readings("0.50 0.40 0.30 1/99 7\n" + stat(7, 100, 50, 10) + stat(8, 10, 0, 20), 0))
                .containsExactly(new Reading(
                        "switchover_process",
                        Map.of("node", "lb1", "process", "haproxy"),
                        Map.of("rss_bytes", FieldValue.of(2 * 4096L), "load1", FieldValue.of(0.5))));
        Reading second = processes
                .readings(stat(7, 150, 60, 10) + stat(8, 20, 0, 20) + stat(9, 999, 0, 30), 2 * SECOND_NS)
                .get(0);
        assertThat(second.fields())
                .isEqualTo(Map.of("rss_bytes", FieldValue.of(3 * 4096L), "cpu_percent", FieldValue.of(35.0)));
    }

    @Test
    void a_pid_that_was_used_again_is_another_process() {
        processes.readings(stat(7, 500, 0, 10), 0);
        assertThat(processes.readings(stat(7, 5, 0, 99), SECOND_NS).get(0).fields())
                .containsEntry("cpu_percent", FieldValue.of(0.0));
    }

    @Test
    void this_machines_own_files_are_read() {
        Source.Command command = new Source.Command(List.of("cat", "/proc/loadavg", "/proc/self/stat"));
        assertThat(new NodeProcesses("lb1", command).scrape(0))
                .extracting(reading -> reading.tags().get("process"))
                .containsExactly("cat");
    }

    @Test
    void what_is_neither_is_one_line() {
        assertThatThrownBy(() -> processes.readings("No such file\n", 0))
                .isInstanceOf(SourceException.class)
                .hasMessage("printed neither /proc/loadavg nor a line of /proc/PID/stat");
    }

    @Test
    void nothing_that_a_command_prints_throws_anything_else() {
        Random random = new Random(3);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder(stat(1, 2, 3, 4));
            for (int n = 0; n < 5; n++) {
                text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(0x250));
            }
            try {
                processes.readings(text.toString(), round);
            } catch (SourceException refused) {
                assertThat(refused).hasMessageNotContaining("\n");
            }
        }
    }

    private static String stat(int pid, int utime, int stime, int started) {
        return pid + " (haproxy) S 1 2 3 0 -1 4 5 0 6 0 " + utime + " " + stime + " 0 0 20 0 1 0 " + started
                + " 1000 1 18446744073709551615 1 1 0 0 0 0\n";
    }
}
