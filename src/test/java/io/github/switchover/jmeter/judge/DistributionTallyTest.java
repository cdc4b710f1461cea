package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.Distribution.AnswerShare;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who answered how much, by phase. */
class DistributionTallyTest {

    private static final List<Phase> PHASES =
            List.of(new Phase(PhaseName.BASELINE, 0, 10), new Phase(PhaseName.SWITCHOVER, 10, 20));

    @Test
    void answers_of_backends_and_balancers_are_counted_by_name_and_those_of_others_are_not() {
        DistributionTally tally = new DistributionTally(PHASES);
        tally.add(answer(1, "web1", "lb1", AnsweredBy.BACKEND));
        tally.add(answer(1, "web2", "lb1", AnsweredBy.BACKEND));
        tally.add(answer(1, "web2", "", AnsweredBy.BACKEND));
        tally.add(answer(1, "", "lb2", AnsweredBy.BALANCER));
        tally.add(answer(1, "web9", "lb9", AnsweredBy.NONE));
        tally.add(answer(11, "web1", "lb2", AnsweredBy.BACKEND));
        Distribution found = tally.distribution("roundrobin");
        assertThat(found.algorithm()).isEqualTo("roundrobin");
        assertThat(found.in("baseline").backends())
                .isEqualTo(Map.of("web1", new AnswerShare(1, 0.333333), "web2", new AnswerShare(2, 0.666667)));
        assertThat(found.in("baseline").balancers())
                .isEqualTo(Map.of("lb1", new AnswerShare(2, 0.666667), "lb2", new AnswerShare(1, 0.333333)));
        assertThat(found.in("switchover").backends()).isEqualTo(Map.of("web1", new AnswerShare(1, 1.0)));
        assertThat(found.byPhase()).containsOnlyKeys("baseline", "switchover");
    }

    @Test
    void without_phases_nothing_is_counted() {
        DistributionTally tally = new DistributionTally(List.of());
        tally.add(answer(1, "web1", "lb1", AnsweredBy.BACKEND));
        assertThat(tally.distribution(null).byPhase()).isEmpty();
    }

    private static Sample answer(long startUs, String backend, String balancer, AnsweredBy who) {
        return Vectors.sample(startUs, startUs + 1, null, true, null, "", new Identity(backend, balancer, who));
    }
}
