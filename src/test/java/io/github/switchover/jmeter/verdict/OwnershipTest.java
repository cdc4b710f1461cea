package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import java.util.Arrays;
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
        assertThat(owners.nodes()).containsExactly("lb1", "lb2");
        assertThat(LongStream.of(0, 1, 4, 5, 9).filter(atUs -> owners.holdsAt("lb1", atUs)))
                .containsExactly(1L, 4L);
        assertThat(owners.holdsAt("lb2", 5)).isFalse();
        assertThat(owners.holdsAt("lb2", 6)).isTrue();
        assertThat(owners.holdsAt("lb3", 6)).isFalse();
    }

    @Test
    void a_node_that_reports_its_addresses_holds_what_they_show_and_not_what_its_keepalived_reports() {
        Ownership owners = ownership(
                "lb1,instance=VI_1 state=\"MASTER\" 1000",
                "lb1,instance=VI_1 state=\"\",holds_vip=true 2000",
                "lb1,instance=VI_1 state=\"BACKUP\" 3000",
                "lb2,instance=VI_1 state=\"MASTER\" 1000");
        assertThat(owners.holdsAt("lb1", 1)).isFalse();
        assertThat(owners.holdsAt("lb1", 9)).isTrue();
        assertThat(owners.holdsAt("lb2", 9)).isTrue();
    }

    @Test
    void a_node_whose_ownership_was_lost_from_sight_does_not_hold_the_address() {
        Ownership owners = ownership(
                "lb1,instance=VI_1 state=\"MASTER\" 1000",
                "lb1,instance=VI_1 state=\"\" 2000",
                "lb2,instance=VI_1 state=\"\" 2000");
        assertThat(owners.nodes()).containsExactly("lb1");
        assertThat(owners.holdsAt("lb1", 1)).isTrue();
        assertThat(owners.holdsAt("lb1", 2)).isFalse();
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
