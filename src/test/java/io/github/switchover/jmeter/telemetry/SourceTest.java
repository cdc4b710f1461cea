package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.command.CommandStream.LineEvent;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.AddressOwners.Notification;
import io.github.switchover.jmeter.telemetry.Collector.ScheduledSource;
import io.github.switchover.jmeter.telemetry.OwnershipSource.Health;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who holds the address, by a FIFO and by a command that speaks whenever something happens. */
class SourceTest {

    private static final String VIP = "198.18.0.50";
    private static final RunClock CLOCK = RunClock.ofProcess();
    private static final String HOLDS = "2: eth0    inet " + VIP + "/32 scope global eth0\n";
    private static final String HOLDS_NOT = "1: lo    inet 127.0.0.1/8 scope host lo\n";

    @TempDir
    Path place;

    private final Points journal = new Points();
    private final AddressOwners ownership = new AddressOwners(journal, VIP);
    private final CountDownLatch stop = new CountDownLatch(1);
    private Path fifo;
    private Thread running;

    @BeforeEach
    void begin() {
        fifo = place.resolve("notify.fifo");
    }

    @AfterEach
    void end() throws InterruptedException {
        stop.countDown();
        if (running != null) {
            running.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(running.isAlive()).isFalse();
        }
        // A command that was killed may still write until it is gone, and the temporary directory is deleted next.
        Until.reached(() -> ProcessHandle.current().descendants().noneMatch(child -> Until.lives(child.pid())));
    }

    @Test
    void lines_that_waited_in_the_fifo_are_history_and_those_that_come_are_news() throws Exception {
        makeFifo();
        try (OutputStream keepalived = keepalived()) {
            write(keepalived, "INSTANCE \"VI_1\" BACKUP 100\nINSTANCE \"VI_1\" MASTER 101\n");
            follow(fifoSource());
            assertThat(journal.await("state=\"MASTER\"")).contains("holds_vip=true", "priority=101i");
            assertThat(MasterFinder.holders(ownership.known())).containsExactly("lb1");
            assertThat(journal.all()).noneMatch(line -> line.contains("BACKUP") || line.contains("switchover_event"));
            write(keepalived, "INSTANCE \"VI_1\" FAULT 101\ngarbage\nGROUP \"G\" FAULT 0\n");
            journal.await("kind=vrrp", "lb1: VI_1 FAULT, priority 101 (notify FIFO, on arrival)");
            assertThat(MasterFinder.holders(ownership.known())).isEmpty();
            write(keepalived, "INSTANCE \"VI_1\" MASTER 101\n");
            Until.reached(() -> !MasterFinder.holders(ownership.known()).isEmpty());
        }
        journal.await("lb1: Keepalived ended without a report (VI_1 was MASTER)");
        // What it held it still holds, since nobody is there to remove the address.
        assertThat(MasterFinder.holders(ownership.known())).containsExactly("lb1");
        try (OutputStream keepalived = keepalived()) {
            write(keepalived, "INSTANCE \"VI_1\" BACKUP 101\n");
            Until.reached(() -> MasterFinder.holders(ownership.known()).isEmpty());
        }
    }

    @Test
    void states_of_a_keepalived_that_ended_or_of_a_lost_fifo_are_not_reported_again() {
        ownership.watch(Nodes.balancer("lb1"), false);
        notified("VI_1", "MASTER");
        notified("VI_2", "BACKUP");
        assertThat(ownership.states()).isEqualTo(Map.of("lb1", Map.of("VI_1", "MASTER", "VI_2", "BACKUP")));
        ownership.silent("lb1", 0);
        assertThat(ownership.states()).isEqualTo(Map.of("lb1", Map.of("VI_1", "", "VI_2", "")));
        journal.take();
        notified("VI_2", "MASTER");
        ownership.silent("lb1", 0);
        assertThat(ended()).contains("Keepalived ended without a report (VI_2 was MASTER)");
        notified("VI_1", "MASTER");
        ownership.lost("lb1", 0);
        assertThat(ownership.states()).isEqualTo(Map.of("lb1", Map.of()));
        ownership.silent("lb1", 0);
        assertThat(ended()).contains("Keepalived ended without a report").doesNotContain("was");
    }

    private void notified(String instance, String state) {
        ownership.notified("lb1", new Notification(instance, state, null), 0, "notify FIFO", false);
    }

    private String ended() {
        return String.join(
                "\n",
                journal.take().stream().filter(line -> line.contains("ended")).toList());
    }

    @Test
    void fifo_that_nobody_writes_to_says_nothing_until_somebody_does() throws Exception {
        makeFifo();
        follow(fifoSource());
        assertThat(journal.await("switchover_vrrp")).contains("state=\"\"");
        // Longer than it takes to see that nobody is there.
        Thread.sleep(400);
        assertThat(journal.all()).hasSize(1);
        try (OutputStream keepalived = keepalived()) {
            write(keepalived, "INSTANCE \"VI_1\" MASTER 101\n");
            journal.await("kind=vrrp", "VI_1 MASTER");
        }
        journal.await("Keepalived ended without a report (VI_1 was MASTER)");
    }

    @Test
    void writer_that_was_there_before_and_says_nothing_more_is_missed_when_it_goes() throws Exception {
        makeFifo();
        OutputStream keepalived = keepalived();
        follow(fifoSource());
        journal.await("switchover_vrrp");
        Thread.sleep(400);
        assertThat(journal.all()).hasSize(1);
        keepalived.close();
        journal.await("lb1: Keepalived ended without a report");
    }

    @Test
    void address_is_found_then_followed_as_it_moves() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has("2: eth0    inet 127.0.0.1/8 scope host lo\n2: eth0    inet " + VIP + "/32 scope global eth0\n");
        follow(addressSource(ip));
        assertThat(journal.await("switchover_vrrp")).contains("state=\"\",holds_vip=true");
        assertThat(journal.all()).noneMatch(line -> line.contains("switchover_event"));
        ip.says("Deleted 2: eth0    inet " + VIP + "/32 scope global eth0\n");
        journal.await("kind=vrrp", "lb1 no longer holds " + VIP + " (ip monitor, on arrival)");
        assertThat(ownership.known().get("lb1")).isFalse();
        ip.says("garbage\n2: eth0    inet 198.18.0.51/32 scope global eth0\n");
        ip.says("2: eth0    inet " + VIP + "/32 scope global eth0\n");
        journal.await("kind=vrrp", "lb1 holds " + VIP);
    }

    @Test
    void time_of_a_move_is_the_nodes_own_where_its_clock_is_known() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has("1: lo    inet 127.0.0.1/8 scope host lo\n");
        follow(addressSource(ip));
        journal.await("holds_vip=false");
        long beforeNs = CLOCK.nowNs();
        // In the time zone of the node, whatever that is.
        String stamp = LocalDateTime.ofEpochSecond(beforeNs / 1_000_000_000 + 7200, 123_456_000, ZoneOffset.UTC)
                .format(DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS"));
        ip.says("[" + stamp + "] 2: eth0    inet " + VIP + "/32 scope global eth0\n");
        String line = journal.await("kind=vrrp", "lb1 holds " + VIP + " (ip monitor)");
        long atNs = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
        assertThat(atNs).isBetween(beforeNs - 2_000_000_000L, CLOCK.nowNs());
    }

    @Test
    void monitor_that_ends_is_no_source_until_it_runs_again() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has("2: eth0    inet " + VIP + "/32 scope global eth0\n");
        follow(addressSource(ip));
        Until.reached(() -> Objects.equals(ownership.known().get("lb1"), true));
        ip.ends();
        journal.await("kind=warning", "lb1: cannot read vip_owner: `" + ip.program() + " …` ended: the way is cut");
        Until.reached(() -> Objects.equals(ownership.known().get("lb1"), true));
        journal.await("kind=warning", "lb1: vip_owner can be read again");
    }

    /** Its monitor stays open and silent, as an ssh does whose way was cut. */
    @Test
    void of_a_node_that_is_not_reached_nothing_is_known_since_its_last_sign_of_life() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has(HOLDS);
        Node far = Nodes.far("lb1", ip.monitor(), new Source.Command(List.of("date", "+%s.%N")));
        Health health = new Health(journal, CLOCK, "lb1", "vip_owner");
        follow(new AddressSource(far, ip.monitor(), VIP, ownership, CLOCK, health, 20_000_000));
        journal.await("holds_vip=true");
        ip.has("");
        long cutNs = CLOCK.nowNs();
        Until.reached(() -> ownership.known().get("lb1") == null);
        journal.await("kind=warning", "lb1: cannot read vip_owner: `" + ip.program() + " …` printed no addresses");
        assertThat(timeOf(journal.await("switchover_vrrp", "state=\"\" "))).isLessThanOrEqualTo(cutNs + 50_000_000);
        ip.has(HOLDS_NOT);
        long backNs = timeOf(journal.await("switchover_vrrp", "holds_vip=false"));
        LocalDateTime cut =
                LocalDateTime.ofEpochSecond(cutNs / 1_000_000_000, (int) (cutNs % 1_000_000_000), ZoneOffset.UTC);
        String stamp = cut.format(DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS"));
        ip.says("[" + stamp + "] Deleted " + HOLDS);
        String late = journal.await("kind=vrrp", "lb1 no longer holds " + VIP + " (ip monitor, ±");
        assertThat(timeOf(late))
                .isBetween(cutNs - 50_000_000, cutNs + 50_000_000)
                .isLessThan(backNs);
    }

    /** It died, came back without its addresses, and its monitor heard nothing of that. */
    @Test
    void an_answer_that_no_line_told_of_is_taken_when_the_next_agrees_and_nothing_is_known_before() throws Exception {
        FakeIp ip = holderOnAnotherMachine();
        ip.has(HOLDS_NOT);
        long changedNs = CLOCK.nowNs();
        String after = journal.await("switchover_vrrp", "holds_vip=false");
        String unknown = journal.await("switchover_vrrp", "state=\"\" ");
        assertThat(timeOf(unknown)).isLessThan(changedNs);
        assertThat(timeOf(after)).isGreaterThan(timeOf(unknown));
        assertThat(journal.all().indexOf(unknown)).isLessThan(journal.all().indexOf(after));
    }

    @Test
    void a_line_that_was_on_its_way_tells_the_time_and_nothing_becomes_unknown() throws Exception {
        FakeIp ip = holderOnAnotherMachine();
        // The first answer comes before the line, the next ones after it.
        ip.runsBeforeAnswer("if mkdir once 2>/dev/null; then echo '" + HOLDS_NOT.strip() + "'; exit; fi\n"
                + "until [ -e heard ]; do sleep 0.01; done\n");
        ip.has(HOLDS_NOT);
        Until.reached(() -> Files.exists(place.resolve("once")));
        ip.says("Deleted " + HOLDS);
        journal.await("kind=vrrp", "lb1 no longer holds " + VIP + " (ip monitor");
        Files.createFile(place.resolve("heard"));
        ip.awaitQuestions(3);
        assertThat(journal.all())
                .filteredOn(line -> line.startsWith("switchover_vrrp"))
                .hasSize(2);
    }

    @Test
    void a_line_that_arrives_late_is_an_event_if_the_ownership_was_unknown_at_its_time() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has(HOLDS);
        AddressSource source = addressSource(ip);
        source.handle(new LineEvent.Opened(CLOCK.nowNs()));
        long unknownFromNs = CLOCK.nowNs();
        source.lost("the way is cut", unknownFromNs);
        ip.has(HOLDS_NOT);
        source.handle(new LineEvent.Opened(unknownFromNs));
        for (long atNs : new long[] {unknownFromNs - 1, unknownFromNs}) {
            source.handle(new LineEvent.Read("Deleted " + HOLDS.strip(), atNs));
        }
        source.stream.close();
        assertThat(journal.all())
                .filteredOn(line -> line.contains("no longer holds"))
                .extracting(SourceTest::timeOf)
                .containsExactly(unknownFromNs);
    }

    @Test
    void a_command_that_cannot_be_asked_for_addresses_knows_none_until_a_line_says_so() {
        Source.Command own = new Source.Command(List.of("my-monitor"));
        Health health = new Health(journal, CLOCK, "lb1", "vip_owner");
        AddressSource source =
                new AddressSource(Nodes.balancer("lb1"), own, VIP, ownership, CLOCK, health, AddressSource.ALIVE_NS);
        source.handle(new LineEvent.Opened(CLOCK.nowNs()));
        assertThat(source.ready().getCount()).isZero();
        assertThat(journal.take()).singleElement().asString().contains("switchover_vrrp", "state=\"\" ");
        source.handle(new LineEvent.Read(HOLDS.strip(), CLOCK.nowNs()));
        assertThat(journal.all()).anyMatch(line -> line.contains("lb1 holds " + VIP));
        source.stream.close();
    }

    @Test
    void a_line_of_another_machine_is_a_sign_of_life() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has(HOLDS);
        AddressSource source = farSource(ip);
        source.handle(new LineEvent.Opened(CLOCK.nowNs()));
        long lineNs = CLOCK.nowNs();
        source.handle(new LineEvent.Read("garbage", lineNs));
        source.lost("the way is cut", lineNs + 1_000_000_000);
        source.stream.close();
        assertThat(timeOf(journal.await("switchover_vrrp", "state=\"\" "))).isEqualTo(lineNs + 1);
    }

    @Test
    void a_reader_with_a_defect_is_said_and_what_it_knew_is_unknown() throws Exception {
        makeFifo();
        AtomicBoolean isBroken = new AtomicBoolean(true);
        AddressOwners owners = new AddressOwners(
                (measurement, tags, fields, timeNs) -> {
                    if (isBroken.getAndSet(false)) {
                        throw new IllegalStateException("no such field");
                    }
                    journal.write(measurement, tags, fields, timeNs);
                },
                VIP);
        FifoSource source = fifoSource(owners);
        try (OutputStream keepalived = keepalived()) {
            write(keepalived, "INSTANCE \"VI_1\" MASTER 101\n");
            follow(source);
            journal.await("kind=warning", "cannot read vip_owner: defect: IllegalStateException: no such field");
            journal.await("switchover_vrrp", "state=\"\" ");
        }
        assertThat(owners.states()).isEqualTo(Map.of("lb1", Map.of()));
        source.handle(new LineEvent.Closed(0, "the disk is gone", false));
        assertThat(source.health.failure()).isEqualTo("lb1: the disk is gone");
    }

    @Test
    void a_balancer_is_lost_if_it_had_answered_and_does_not_answer_now() {
        for (String source : List.of("haproxy", "machine")) {
            AtomicBoolean isBroken = new AtomicBoolean(true);
            Scraper scraper = new Scraper("lb1", source, sentNs -> {
                if (isBroken.get()) {
                    throw new IllegalStateException("no such field");
                }
                return List.of();
            });
            ScheduledSource scheduled = new ScheduledSource(scraper, journal, CLOCK, 1);
            assertThat(List.of(scheduled.scrape(), scheduled.isLost())).containsExactly(false, false);
            isBroken.set(false);
            assertThat(List.of(scheduled.scrape(), scheduled.isLost())).containsExactly(true, false);
            isBroken.set(true);
            assertThat(List.of(scheduled.scrape(), scheduled.isLost()))
                    .containsExactly(false, source.equals("haproxy"));
        }
        assertThat(journal.all())
                .filteredOn(line -> line.contains("cannot read haproxy: defect: IllegalStateException: no such field"))
                .hasSize(2);
    }

    /** It is known to hold the address. */
    private FakeIp holderOnAnotherMachine() throws Exception {
        FakeIp ip = new FakeIp(place);
        ip.has(HOLDS);
        follow(farSource(ip));
        journal.await("holds_vip=true");
        return ip;
    }

    private AddressSource farSource(FakeIp ip) {
        Node far = Nodes.far("lb1", ip.monitor(), null);
        Health health = new Health(journal, CLOCK, "lb1", "vip_owner");
        return new AddressSource(far, ip.monitor(), VIP, ownership, CLOCK, health, 20_000_000);
    }

    private static long timeOf(String line) {
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }

    @Test
    void command_that_cannot_run_and_one_that_shows_nothing_are_said() throws Exception {
        Source.Command missing = new Source.Command(List.of("no-such-program", "ip", "monitor", "address"));
        Node node = Nodes.node("lb1", null, null, null, missing);
        Health health = new Health(journal, CLOCK, "lb1", "vip_owner");
        AddressSource source = new AddressSource(node, missing, VIP, ownership, CLOCK, health, AddressSource.ALIVE_NS);
        follow(source);
        journal.await("kind=warning", "`no-such-program …`: cannot run: no such program is installed here");
        assertThat(source.ready().await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ownership.known()).containsEntry("lb1", null);
    }

    private FifoSource fifoSource() {
        return fifoSource(ownership);
    }

    private FifoSource fifoSource(AddressOwners owners) {
        Source.Fifo source = new Source.Fifo(fifo.toString());
        Health health = new Health(journal, CLOCK, "lb1", "vip_owner");
        return new FifoSource(Nodes.node("lb1", null, null, null, source), source, owners, CLOCK, health);
    }

    private AddressSource addressSource(FakeIp ip) {
        Node node = Nodes.node("lb1", null, null, null, ip.monitor());
        Health health = new Health(journal, CLOCK, "lb1", "vip_owner");
        return new AddressSource(node, ip.monitor(), VIP, ownership, CLOCK, health, AddressSource.ALIVE_NS);
    }

    private void follow(OwnershipSource source) {
        running = new Thread(() -> {
            try {
                source.run(stop);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        });
        running.start();
    }

    private void makeFifo() throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
    }

    /** Holds it open for both, as Keepalived does. */
    private OutputStream keepalived() throws IOException {
        RandomAccessFile both = new RandomAccessFile(fifo.toFile(), "rw");
        return new FileOutputStream(both.getFD()) {
            @Override
            public void close() throws IOException {
                both.close();
            }
        };
    }

    private static void write(OutputStream keepalived, String text) throws IOException {
        keepalived.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
