package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.engine.ClockQuestions.ClientClock;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import java.rmi.ConnectException;
import java.rmi.RemoteException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a server asks; that it can is seen with real processes. */
class ClockQuestionsTest {

    private static final String SERVER = "one:1099";
    private static final long AHEAD_US = 2_500_000;

    private final List<String> told = new ArrayList<>();
    private ClockReading reading;

    private final class Client implements ClientClock {
        private final boolean silent;

        Client(boolean silent) {
            this.silent = silent;
        }

        @Override
        public long nowNs() throws RemoteException {
            if (silent) {
                throw new ConnectException("Connection refused");
            }
            return RunClock.wallNs() - AHEAD_US * 1000;
        }

        @Override
        public void report(String server, boolean hasEnded, ClockReading now) {
            told.add((hasEnded ? "after " : "before ") + server);
            reading = now;
        }
    }

    @Test
    void a_server_finds_out_how_far_it_is_ahead() {
        ClockQuestions questions = new ClockQuestions(new Client(false));
        questions.before(SERVER);
        assertThat(Math.abs(reading.offsetUs() - AHEAD_US)).isLessThanOrEqualTo(reading.boundUs());
        questions.after(SERVER);
        assertThat(Math.abs(reading.offsetUs() - AHEAD_US)).isLessThanOrEqualTo(reading.boundUs());
        assertThat(told).containsExactly("before " + SERVER, "after " + SERVER);
    }

    @Test
    void without_an_answer_it_says_no_more_than_that_it_is_done() {
        ClockQuestions questions = new ClockQuestions(new Client(true));
        questions.before(SERVER);
        questions.after(SERVER);
        assertThat(reading).isNull();
        assertThat(told).containsExactly("after " + SERVER);
    }

    @Test
    void without_a_way_it_says_nothing() {
        ClockQuestions questions = new ClockQuestions(null);
        questions.before(SERVER);
        questions.after(SERVER);
        assertThat(told).isEmpty();
    }
}
