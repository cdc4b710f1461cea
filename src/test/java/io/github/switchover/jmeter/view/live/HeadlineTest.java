package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeadlineTest {

    private static final String REFUSED = "touch is not armed";

    @Test
    void a_test_that_has_recorded_nothing_yet_is_on() {
        Headline headline = Headline.of(ViewState.NOTHING);
        assertThat(headline.status()).isEqualTo("no run yet");
        assertThat(headline.noting(null)).isSameAs(headline);
        Headline started = headline.noting("the test has started");
        assertThat(started.status()).isEqualTo("waiting");
        assertThat(started.says()).containsExactly("the test has started");
    }

    @Test
    void nothing_is_said_twice() {
        Headline headline = Headline.of(new ViewState(null, REFUSED));
        assertThat(headline.noting(REFUSED)).isSameAs(headline);
        assertThat(headline.noting("healed touch").noting("healed touch").lines())
                .containsExactly("healed touch");
    }
}
