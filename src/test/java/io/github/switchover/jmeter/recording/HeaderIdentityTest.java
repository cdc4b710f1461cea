package io.github.switchover.jmeter.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentitySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.jmeter.samplers.SampleResult;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class HeaderIdentityTest {

    private static final List<String> NAMES =
            List.of("X-Backend", "x-backend", "X-Balancer", "X-Upstream-Time", "X-Backends", "X-Back", "Date");
    private static final List<String> VALUES = List.of(
            "",
            " ",
            "web1",
            "web2",
            "<NOSRV>",
            "a:1, b:2",
            "a:1, -",
            "-",
            "0.001",
            "0.001, -",
            "shop",
            "w\u00e9b",
            "a\u0000",
            "\u000bb:1",
            "-\u001c",
            "a".repeat(300));

    private final HeaderIdentity who = new HeaderIdentity(IdentitySettings.DEFAULT);

    @BeforeAll
    static void jmeter() {
        JMeterHome.load();
    }

    @Test
    void whatever_came_before_an_answer_is_told_by_its_own_headers() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            for (int n = random.nextInt(5); n > 0; n--) {
                headers.add(Map.entry(pick(NAMES, random), pick(VALUES, random)));
            }
            StringBuilder text = new StringBuilder();
            headers.forEach(header -> text.append(header.getKey())
                    .append(random.nextBoolean() ? ": " : ":")
                    .append(header.getValue())
                    .append(random.nextBoolean() ? "\n" : "\t\r\n"));
            Identity expected = new IdentityReader(IdentitySettings.DEFAULT)
                    .identify(headers.stream()
                            .map(header ->
                                    Map.entry(header.getKey(), header.getValue().strip()))
                            .toList());
            assertThat(identity(text.toString())).as(text.toString()).isEqualTo(expected);
        }
    }

    @Test
    void servers_that_come_again_after_many_others_are_still_told_apart() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3 * HeaderIdentity.RECENT; i++) {
                assertThat(identity("X-Backend: web" + i + "\nX-Balancer: lb1"))
                        .isEqualTo(new Identity("web" + i, "lb1", AnsweredBy.BACKEND));
            }
        }
    }

    private Identity identity(String headers) {
        SampleResult result = new SampleResult();
        result.setSuccessful(true);
        result.setResponseHeaders("HTTP/1.1 200 OK\n" + headers);
        return who.of(result);
    }

    private static String pick(List<String> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }
}
