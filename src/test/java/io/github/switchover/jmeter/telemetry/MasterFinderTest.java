package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.http.TestServer;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By header, neighbour entry, ownership source, counters; and nobody where they contradict. */
class MasterFinderTest {

    private static final String ARP = """
            IP address       HW type     Flags       HW address            Mask     Device
            127.0.0.50       0x1         0x2         AA:bb:cc:00:00:01     *        eth0
            127.0.0.11       0x1         0x2         aa:bb:cc:00:00:01     *        eth0
            127.0.0.12       0x1         0x2         aa:bb:cc:00:00:02     *        eth0
            127.0.0.13       0x1         0x0         00:00:00:00:00:00     *        eth0
            """;
    private static final String SHOWN = """
            fe80::1 dev eth0 lladdr AA:bb:cc:00:00:01 router REACHABLE
            2001:db8::2 dev eth0 lladdr aa:bb:cc:00:00:02 STALE
            2001:db8::3 dev eth0 FAILED
            2001:db8::4 dev eth0 lladdr
            """;

    private static final double PATIENCE_S = 20;

    @TempDir
    Path place;

    @Test
    void complete_entries_of_the_tables_are_read_and_garbage_is_not() {
        assertThat(Neighbours.parseArp(ARP))
                .isEqualTo(Map.of(
                        "127.0.0.50", "aa:bb:cc:00:00:01",
                        "127.0.0.11", "aa:bb:cc:00:00:01",
                        "127.0.0.12", "aa:bb:cc:00:00:02"));
        assertThat(Neighbours.parseNeighbours(SHOWN))
                .isEqualTo(Map.of("fe80::1", "aa:bb:cc:00:00:01", "2001:db8::2", "aa:bb:cc:00:00:02"));
        Random random = new Random(3);
        for (int round = 0; round < 2000; round++) {
            StringBuilder text = new StringBuilder();
            random.ints(random.nextInt(60), 0, 15).forEach(i -> text.append("0x12. lladdr\n:\u00e4".charAt(i)));
            Neighbours.parseArp(text.toString());
            Neighbours.parseNeighbours(text.toString());
        }
    }

    @Test
    void header_names_the_master() {
        try (TestServer server = page("x-balancer: lb2", "X-Backend: web1")) {
            assertThat(find(pair(server), Map.of())).isEqualTo(new Master("lb2", "header", "X-Balancer: lb2"));
        }
    }

    @Test
    void whom_the_header_names_is_asked_for_by_nothing_else() throws IOException {
        try (TestServer server = page("X-Balancer: lb2")) {
            Target target = target(server, host("lb1", "127.0.0.11"), host("lb2", "127.0.0.12"));
            assertThat(find(target, Map.of(), ARP).name()).isEqualTo("lb2");
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void answer_of_any_status_names_it() {
        try (TestServer server =
                new TestServer(TestServer.answers("HTTP/1.1 503 No\r\nX-Balancer: lb1\r\nContent-Length: 0\r\n\r\n"))) {
            assertThat(find(pair(server), Map.of()).name()).isEqualTo("lb1");
        }
    }

    @Test
    void two_holders_are_no_master_whatever_the_header_says() {
        try (TestServer server = page("X-Balancer: lb1")) {
            assertThat(find(pair(server), Map.of("lb1", true, "lb2", true)))
                    .isEqualTo(new Master(null, "source", "lb1 and lb2 hold 127.0.0.1 at the same time"));
        }
    }

    @Test
    void header_that_the_source_contradicts_is_no_master() {
        try (TestServer server = page("X-Balancer: lb1")) {
            assertThat(find(pair(server), Map.of("lb1", false, "lb2", true)).reason())
                    .isEqualTo("the header says lb1, but the ownership source says lb2");
            Map<String, Boolean> unknown = new HashMap<>(Map.of("lb2", false));
            unknown.put("lb1", null);
            assertThat(find(pair(server), unknown).name()).isEqualTo("lb1");
        }
    }

    @Test
    void neighbour_entry_is_asked_where_there_is_no_header() throws IOException {
        String table = ARP.replace("127.0.0.50 ", "127.0.0.1  ");
        try (TestServer server = page()) {
            Target target = target(server, host("lb1", "127.0.0.11"), host("lb2", "127.0.0.12"));
            assertThat(find(target, Map.of(), table))
                    .isEqualTo(new Master("lb1", "neighbour", "127.0.0.1 is at aa:bb:cc:00:00:01, as lb1 is"));
            Target foreign = target(server, host("lb1", "127.0.0.12"));
            assertThat(find(foreign, Map.of(), table).reason()).contains("which is no node's own hardware address");
            Target own = target(server, host("lb1", "127.0.0.1"));
            assertThat(find(own, Map.of(), table).reason()).contains("is a node's own address, no virtual one");
        }
    }

    @Test
    void hardware_address_of_two_nodes_is_nobodys() throws IOException {
        Neighbours neighbours = new Neighbours(Files.writeString(place.resolve("arp"), ARP));
        Neighbours.FoundNode found = neighbours.nodeAt(
                address("127.0.0.50"),
                Map.of("lb1", address("127.0.0.11"), "lb2", address("127.0.0.50")),
                9,
                new Deadline(0.1));
        assertThat(found.name()).isNull();
        assertThat(found.reason()).contains("share the hardware address");
        Map<String, InetAddress> others = Map.of("lb1", address("127.0.0.12"), "lb2", address("127.0.0.14"));
        assertThat(neighbours
                        .nodeAt(address("127.0.0.50"), others, 9, new Deadline(0.05))
                        .reason())
                .isEqualTo("127.0.0.50 is at aa:bb:cc:00:00:01, which is no node's own hardware address");
        assertThat(neighbours
                        .nodeAt(address("127.0.0.13"), Map.of(), 9, new Deadline(0.05))
                        .reason())
                .isEqualTo("127.0.0.13 has no neighbour entry: it is not on this network");
    }

    @Test
    void source_is_asked_where_there_is_neither() throws IOException {
        FakeIp ip = new FakeIp(place);
        ip.has("2: lo    inet 127.0.0.1/8 scope host lo\n");
        try (TestServer server = page("X-Balancer: somebody")) {
            Target target = target(server, Nodes.node("lb1", null, null, null, ip.monitor()), Nodes.balancer("lb2"));
            assertThat(find(target, null)).isEqualTo(new Master("lb1", "source", "lb1 holds 127.0.0.1"));
        }
    }

    @Test
    void nobody_is_named_without_any_of_them_and_every_reason_is_told() {
        try (TestServer server = page("X-Balancer: some'body")) {
            Source nowhere = new Source.UnixSocket(place.resolve("nowhere").toString());
            Target target = target(server, Nodes.node("lb1", null, nowhere, null), Nodes.balancer("lb2"));
            assertThat(find(target, Map.of()))
                    .isEqualTo(new Master(
                            null,
                            "",
                            "the header X-Balancer names \"some'body\", which is no balancer here; "
                                    + "no balancer's own address (host) is in the target file; "
                                    + "no node's counters can be read"));
        }
    }

    @Test
    void target_that_is_silent_or_without_balancers_is_one_reason() {
        try (TestServer server = new TestServer(TestServer.staysSilent())) {
            MasterFinder impatient = new MasterFinder(pair(server), 0.5, new Neighbours(place.resolve("no-arp")));
            assertThat(impatient.find(Map.of()).reason())
                    .startsWith(server.url() + " gave no answer: no ")
                    .contains(" within 500 ms; ")
                    .endsWith("only 0 of 20 requests were answered");
        }
        assertThat(find(Nodes.target("http://no-such-host.invalid/", Nodes.balancer("lb1")), Map.of())
                        .reason())
                .startsWith("http://no-such-host.invalid/ gave no answer: the name 'no-such-host.invalid' has no");
        assertThat(find(Nodes.target("http://127.0.0.1/"), Map.of()).reason())
                .isEqualTo("the target file has no node with role = \"balancer\"");
    }

    private static TestServer page(String... headers) {
        String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return new TestServer(
                TestServer.answers("HTTP/1.1 200 OK\r\n" + lines + "Content-Length: 0\r\nConnection: close\r\n\r\n"));
    }

    private static Target pair(TestServer server) {
        return target(server, Nodes.balancer("lb1"), Nodes.balancer("lb2"));
    }

    private static Target target(TestServer server, Node... nodes) {
        return Nodes.target(server.url(), nodes);
    }

    private static Node host(String name, String address) {
        return Nodes.node(name, address, null, null);
    }

    private static InetAddress address(String literal) throws IOException {
        return InetAddress.getAllByName(literal)[0];
    }

    private Master find(Target target, Map<String, Boolean> owners) {
        return new MasterFinder(target, PATIENCE_S, new Neighbours(place.resolve("no-arp"))).find(owners);
    }

    private Master find(Target target, Map<String, Boolean> owners, String table) throws IOException {
        Path arp = Files.writeString(place.resolve("arp"), table);
        return new MasterFinder(target, PATIENCE_S, new Neighbours(arp)).find(owners);
    }
}
