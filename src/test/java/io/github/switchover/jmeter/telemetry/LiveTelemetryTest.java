package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.MasterFinder.Master;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** A real HAProxy and a real Nginx say what was sent to them. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LiveTelemetryTest {

    private static final double PATIENCE_S = 20;
    private static final List<String> COUNTING = List.of("FRONTEND", "web1", "BACKEND");

    @TempDir
    static Path place;

    private static LivePair pair;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        pair = new LivePair(place);
    }

    @AfterAll
    static void stop() throws IOException {
        pair.close();
    }

    @Test
    @Order(1)
    void haproxy_counts_what_was_sent_whichever_way_it_is_asked() throws Exception {
        List<HaproxyReader> readers = ways().map(way -> new HaproxyReader(way)).toList();
        List<HaproxySnapshot> before =
                readers.stream().map(LiveTelemetryTest::read).toList();
        List<Attempt> attempts = send(7);
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.error()).isNull();
            assertThat(attempt.head().identity().backend()).isEqualTo("web1");
            assertThat(attempt.head().identity().balancer()).isEqualTo("lb1");
        });
        // HAProxy counts an answer a moment after the client has it.
        Until.reached(() -> {
            HaproxySnapshot now = read(readers.get(0));
            return COUNTING.stream().allMatch(server -> grown(before.get(0), now, server) >= 7);
        });
        for (int i = 0; i < readers.size(); i++) {
            HaproxySnapshot after = read(readers.get(i));
            for (String server : COUNTING) {
                assertThat(grown(before.get(i), after, server)).as(server).isEqualTo(7);
            }
            assertThat(after.generation()).isEqualTo(before.get(i).generation());
            assertThat(after.info().isEmpty()).isEqualTo(i == 2);
        }
    }

    @Test
    @Order(2)
    void nginx_counts_its_own_scrape() {
        Source page = new Source.HttpPage(pair.statusPage());
        Map<String, Long> first = NginxKind.read(page, PATIENCE_S);
        Map<String, Long> second = NginxKind.read(page, PATIENCE_S);
        assertThat(second.get("requests")).isEqualTo(first.get("requests") + 1);
        assertThat(second.get("handled")).isEqualTo(second.get("accepts"));
        assertThat(second.get("active")).isPositive();
    }

    @Test
    @Order(3)
    void wrong_password_and_wrong_page_are_one_line() {
        Source wrong = new Source.HttpPage(pair.statsPage().replace("s%40cret", "guess"));
        assertThatThrownBy(() -> read(new HaproxyReader(wrong)))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("answered 401")
                .hasMessageNotContaining("guess");
        Source shop = new Source.HttpPage(pair.url());
        assertThatThrownBy(() -> read(new HaproxyReader(shop)))
                .hasMessage(pair.url() + ";csv: answered 'hello', which is not an answer of HAProxy");
        assertThatThrownBy(() -> NginxKind.read(shop, PATIENCE_S))
                .hasMessage(pair.url() + " answered something that is not a stub_status page");
    }

    @Test
    @Order(4)
    void collector_writes_what_it_finds_and_goes_on_when_a_source_comes_back() throws Exception {
        Source nowhere = new Source.UnixSocket(place.resolve("nowhere.sock").toString());
        Target target = Nodes.target(
                pair.url(),
                Nodes.node(
                        "lb1", null, new Source.UnixSocket(pair.adminSocket()), new Source.HttpPage(pair.statusPage())),
                Nodes.node("lb2", null, nowhere, null));
        Points journal = new Points();
        try (Collector collector = new Collector(target, journal, RunClock.ofProcess(), 0.05)) {
            collector.start();
            collector.scrapeNow();
            assertThat(journal.await("switchover_haproxy,", "node=lb1", "server=web1"))
                    .contains("proxy=web", "type=server", "status=\"no check\"");
            journal.await("switchover_haproxy_info,node=lb1", "Nbthread=");
            journal.await("switchover_nginx,node=lb1", "active=");
            journal.await("switchover_scrape,node=lb1", "source=haproxy", "ok=true");
            journal.await(
                    "switchover_scrape,node=lb2", "source=haproxy", "ok=false,rows=0i", "No such file or directory");
            journal.await("kind=warning", "lb2: cannot read haproxy: " + nowhere);
            pair.killHaproxy();
            journal.await("kind=warning", "lb1: cannot read haproxy");
            pair.restartHaproxy();
            journal.await("kind=warning", "lb1: haproxy can be read again");
            Until.reached(() -> generations(journal).size() == 2);
            assertThat(collector.owners()).isEmpty();
        }
        // Said once, not at every scrape.
        assertThat(journal.all())
                .filteredOn(line -> line.contains("lb2: cannot read haproxy"))
                .hasSize(1);
        assertThat(generations(journal)).hasSize(2);
        Until.reached(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("telemetry")));
    }

    @Test
    @Order(5)
    void master_is_found_by_its_header() {
        Node lb1 = Nodes.node("lb1", null, new Source.UnixSocket(pair.adminSocket()), null);
        Node lb2 = Nodes.node("lb2", null, null, null);
        assertThat(new MasterFinder(Nodes.target(pair.url(), lb1, lb2), Transport.TIMEOUT_S).find(null))
                .isEqualTo(new Master("lb1", "header", "X-Balancer: lb1"));
    }

    private static Stream<Source> ways() {
        return Stream.of(
                new Source.UnixSocket(pair.adminSocket()),
                new Source.TcpSocket("127.0.0.1", pair.adminPort()),
                new Source.HttpPage(pair.statsPage()));
    }

    /** One for each process of HAProxy. */
    private static Set<String> generations(Points journal) {
        return journal.all().stream()
                .filter(line -> line.contains("server=web1"))
                .map(line -> line.replaceFirst(".*generation=\"([^\"]*)\".*", "$1"))
                .collect(Collectors.toSet());
    }

    private static long grown(HaproxySnapshot before, HaproxySnapshot after, String server) {
        String proxy = server.equals("FRONTEND") ? "shop" : "web";
        return figure(after, proxy, server, "hrsp_2xx") - figure(before, proxy, server, "hrsp_2xx");
    }

    private static HaproxySnapshot read(HaproxyReader reader) {
        return reader.read(0, PATIENCE_S);
    }

    private static long figure(HaproxySnapshot snapshot, String proxy, String server, String column) {
        return snapshot.rows().stream()
                .filter(row -> row.proxy().equals(proxy) && row.server().equals(server))
                .findFirst()
                .orElseThrow()
                .numbers()
                .get(column);
    }

    private static List<Attempt> send(int times) throws IOException {
        Destination destination = Destination.of(Endpoints.at(pair.url()));
        Request request = Request.get(Endpoints.at(pair.url()), destination, Timeouts.ofTotal(PATIENCE_S), "test");
        try (ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null)) {
            return Stream.generate(() -> client.send(request)).limit(times).toList();
        }
    }
}
