package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static final int DAY_S = 86_400;

    private final Timeline timeline = new Timeline();

    @Test
    void a_day_takes_no_more_room_than_hours_and_loses_nothing() {
        for (long atS = 0; atS < DAY_S; atS++) {
            timeline.count(atS, 0, EndedCounts.OK, 100);
            timeline.count(atS, null, EndedCounts.FAILED, 1);
            if (atS % 100 == 0) {
                timeline.fold(second -> "baseline");
            }
        }
        timeline.fold(second -> "baseline");
        List<Stretch> stretches = timeline.stretches();
        assertThat(stretches).hasSizeLessThanOrEqualTo(Timeline.KEEP_S + Timeline.WIDE_LIMIT + 1);
        assertThat(stretches.stream()
                        .mapToLong(stretch -> stretch.requests().ok())
                        .sum())
                .isEqualTo(100L * DAY_S);
        assertThat(stretches.stream()
                        .mapToLong(stretch -> stretch.probes().failed())
                        .sum())
                .isEqualTo(DAY_S);
        for (int index = 1; index < stretches.size(); index++) {
            assertThat(stretches.get(index).atS())
                    .isEqualTo(stretches.get(index - 1).endS());
        }
    }

    @Test
    void no_stretch_reaches_over_the_border_between_two_phases() {
        long borderS = 1234;
        for (long atS = 0; atS < 4 * Timeline.KEEP_S; atS++) {
            timeline.count(atS, 0, EndedCounts.OK, 1);
        }
        timeline.fold(second -> second < borderS ? "baseline" : "switchover");
        assertThat(timeline.stretches())
                .noneMatch(stretch -> stretch.atS() < borderS && stretch.endS() > borderS)
                .anyMatch(stretch -> stretch.endS() == borderS);
    }

    @Test
    void what_comes_late_counts_where_it_belongs() {
        for (long atS = 0; atS < 2 * Timeline.KEEP_S; atS++) {
            timeline.count(atS, 0, EndedCounts.OK, 1);
        }
        timeline.fold(second -> "baseline");
        timeline.count(7, 0, EndedCounts.FAILED, 1);
        assertThat(timeline.stretches().get(0).requests()).isEqualTo(new EndedCounts(Timeline.WIDE_S, 1, 0));
    }

    @Test
    void a_stretch_that_did_not_change_is_the_same_object() {
        timeline.count(1, 0, EndedCounts.OK, 1);
        timeline.count(2, 0, EndedCounts.OK, 1);
        List<Stretch> before = timeline.stretches();
        timeline.count(2, 0, EndedCounts.OK, 1);
        assertThat(timeline.stretches().get(0)).isSameAs(before.get(0));
        assertThat(timeline.stretches().get(1)).isNotEqualTo(before.get(1));
    }
}
