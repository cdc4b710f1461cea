package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which node holds the virtual address, as its Keepalived or the node itself reported it. */
class OwnershipTest {

    @Test
    void a_node_holds_the_address_from_its_line_until_its_next_line() {
        Ownership owners = ownership(
                "lb2,instance=VI_1 state=\"master\" 6000",
                "lb1,instance=VI_1 state=\"BACKUP\" 5000",
                "lb1,instance=VI_1 state=\"MASTER\" 1000",
                "lb2,instance=VI_1 state=\"BACKUP\" 1000");
        assertThat(LongStream.of(0, 1, 4, 5, 9).filter(atUs -> owners.holdsAt("lb1", atUs)))
                .containsExactly(1L, 4L);
        assertThat(List.of(owners.holdsAt("lb2", 5), owners.holdsAt("lb2", 6), owners.holdsAt("lb3", 6)))
                .containsExactly(false, true, false);
    }

    @Test
    void what_a_node_itself_reports_counts_more_than_its_keepalived_and_an_unknown_owner_holds_nothing() {
        Ownership owners = ownership(
                "lb1,instance=VI_1 state=\"MASTER\" 1000",
                "lb1,instance=VI_1 state=\"\",holds_vip=true 2000",
                "lb2,instance=VI_1 state=\"MASTER\" 1000",
                "lb2,instance=VI_1 state=\"\" 2000",
                "lb3,instance=VI_1 state=\"\" 2000");
        assertThat(owners.nodes()).containsExactly("lb1", "lb2");
        assertThat(List.of(owners.holdsAt("lb1", 1), owners.holdsAt("lb1", 9))).containsExactly(false, true);
        assertThat(List.of(owners.holdsAt("lb2", 1), owners.holdsAt("lb2", 2))).containsExactly(true, false);
    }

    @Test
    void the_address_moved_if_another_node_than_the_master_took_it_in_that_time() {
        Span faulted = new Span(5, 20);
        assertThat(ownership("lb2,instance=VI_1 state=\"MASTER\" 6000").movedFrom("lb1", faulted))
                .isTrue();
        assertThat(ownership("lb2,instance=VI_1 state=\"\",holds_vip=true 6000").movedFrom("lb1", faulted))
                .isTrue();
        for (String line : new String[] {
            "lb1,instance=VI_1 state=\"MASTER\" 6000",
            "lb2,instance=VI_1 state=\"BACKUP\" 6000",
            "lb2,instance=VI_1 state=\"MASTER\" 4000",
            "lb2,instance=VI_1 state=\"MASTER\" 21000"
        }) {
            assertThat(ownership(line).movedFrom("lb1", faulted)).as(line).isFalse();
        }
    }

    private static Ownership ownership(String... lines) {
        return Ownership.of(Arrays.stream(lines)
                .map(line -> PointParser.parse("switchover_vrrp,node=" + line))
                .toList());
    }
}
