package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeadlineTest {

    private static final String REFUSED = "touch is not armed";

    @Test
    void what_the_run_said_last_stands_below() {
        Headline headline = Headline.of(ViewState.NOTHING);
        assertThat(headline.noting(REFUSED).lines()).containsExactly(REFUSED);
        assertThat(headline.noting(null)).isSameAs(headline);
    }

    @Test
    void nothing_is_said_twice() {
        Headline headline = Headline.of(new ViewState(null, REFUSED, null));
        assertThat(headline.noting(REFUSED)).isSameAs(headline);
        assertThat(headline.noting("healed touch").noting("healed touch").lines())
                .containsExactly("healed touch");
    }
}
