package io.github.switchover.jmeter.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class FailuresTest {

    @Test
    void own_limits_are_never_held_against_the_balancer() {
        assertThat(Failures.kindOf(new BindException("Cannot assign requested address"), true))
                .isEqualTo(FailureKind.GENERATOR);
        assertThat(Failures.kindOf(new SocketException("Too many open files"), true))
                .isEqualTo(FailureKind.GENERATOR);
        assertThat(Failures.kindOf(new SocketException("No buffer space available"), false))
                .isEqualTo(FailureKind.GENERATOR);
    }

    @Test
    void kernels_time_out_belongs_to_the_phase_it_ended() {
        ConnectException timedOut = new ConnectException("Connection timed out");
        assertThat(Failures.kindOf(timedOut, true)).isEqualTo(FailureKind.CONNECT_TIMEOUT);
        assertThat(Failures.kindOf(new IOException("Connection timed out"), false))
                .isEqualTo(FailureKind.READ_TIMEOUT);
    }

    @Test
    void each_way_to_be_turned_away_has_its_kind() {
        assertThat(Failures.kindOf(new ConnectException("Connection refused"), true))
                .isEqualTo(FailureKind.REFUSED);
        assertThat(Failures.kindOf(new NoRouteToHostException("No route to host"), true))
                .isEqualTo(FailureKind.UNREACHABLE);
        assertThat(Failures.kindOf(new SocketException("Network is unreachable"), true))
                .isEqualTo(FailureKind.UNREACHABLE);
        assertThat(Failures.kindOf(new UnknownHostException("lb1"), true)).isEqualTo(FailureKind.DNS);
        assertThat(Failures.kindOf(new SocketException("Connection reset by peer"), true))
                .isEqualTo(FailureKind.RESET);
        assertThat(Failures.kindOf(new IOException("Broken pipe"), false)).isEqualTo(FailureKind.RESET);
        assertThat(Failures.kindOf(new SSLException("reset"), true)).isEqualTo(FailureKind.TLS);
    }

    @Test
    void words_in_another_language_leave_the_phase_to_decide() {
        assertThat(Failures.kindOf(new ConnectException("Verbindungsaufbau abgelehnt"), true))
                .isEqualTo(FailureKind.REFUSED);
        assertThat(Failures.kindOf(new IOException("Die Verbindung wurde zurückgesetzt"), false))
                .isEqualTo(FailureKind.RESET);
        assertThat(Failures.kindOf(new IOException((String) null), true)).isEqualTo(FailureKind.UNREACHABLE);
    }

    @Test
    void message_is_one_line_of_the_innermost_cause() {
        IOException error = new IOException("outer", new SSLException("PKIX failed", new IOException("no\npath")));
        assertThat(Failures.messageOf(error)).isEqualTo("no path");
        assertThat(Failures.messageOf(new IOException())).isEqualTo("IOException");
    }
}
