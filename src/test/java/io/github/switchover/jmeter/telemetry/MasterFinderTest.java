package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.http.TestServer;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.MasterFinder.Master;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By header, neighbour entry, ownership source, counters; and nobody where they contradict. */
class MasterFinderTest {

    private static final double PATIENCE_S = 20;

    @TempDir
    Path place;

    @Test
    void header_names_the_master() {
        try (TestServer server = page("x-balancer: lb2", "X-Backend: web1")) {
            assertThat(find(pair(server), Map.of())).isEqualTo(new Master("lb2", "header", "X-Balancer: lb2"));
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
                    .isEqualTo("the header names lb1, but the ownership source names lb2");
            Map<String, Boolean> unknown = new HashMap<>(Map.of("lb2", false));
            unknown.put("lb1", null);
            assertThat(find(pair(server), unknown).name()).isEqualTo("lb1");
        }
    }

    @Test
    void source_is_asked_where_there_is_neither() throws IOException {
        FakeIp ip = new FakeIp(place);
        ip.has("2: lo    inet 127.0.0.1/8 scope host lo\n");
        try (TestServer server = page("X-Balancer: somebody")) {
            Target target = target(server, Nodes.node("lb1", null, null, null, ip.monitor()), Nodes.balancer("lb2"));
            assertThat(find(target, null)).isEqualTo(new Master("lb1", "source", "lb1 holds 127.0.0.1"));
            ip.has("2: lo    inet 127.0.0.2/8 scope host lo\n");
            assertThat(find(target, null).name()).isNull();
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
                            "the header X-Balancer names \"some'body\", which is not a balancer in the target file; "
                                    + "no vip_owner of the target file names a holder"));
        }
    }

    @Test
    void target_that_is_silent_or_without_balancers_is_one_reason() {
        try (TestServer server = new TestServer(TestServer.staysSilent())) {
            MasterFinder impatient = new MasterFinder(pair(server), 0.5);
            assertThat(impatient.find(Map.of()).reason())
                    .startsWith(server.url() + " gave no answer: no ")
                    .contains(" within 500 ms; ");
        }
        assertThat(find(Nodes.target("http://no-such-host.invalid/", Nodes.balancer("lb1")), Map.of())
                        .reason())
                .startsWith("http://no-such-host.invalid/ gave no answer: this machine finds no address of the name"
                        + " 'no-such-host.invalid'");
        assertThat(find(Nodes.target("http://127.0.0.1/a b", Nodes.balancer("lb1")), Map.of())
                        .reason())
                .startsWith("http://127.0.0.1/a b gave no answer: ");
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

    private Master find(Target target, Map<String, Boolean> owners) {
        return new MasterFinder(target, PATIENCE_S).find(owners);
    }
}
