package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.target.Source;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HaproxyKindTest {

    @Test
    void a_frontend_at_its_maxconn_is_open() {
        Source said = new Source.Command(List.of(
                "printf", "%s", "Pid: 7\n\n# pxname,svname,status,type\nwww,FRONTEND,FULL,0\napi,FRONTEND,STOP,0\n\n"));
        assertThat(new HaproxyKind().look(said).frontends()).isEqualTo(Map.of("www", "OPEN", "api", "STOP"));
    }
}
