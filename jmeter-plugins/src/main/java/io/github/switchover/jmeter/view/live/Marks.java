package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.PlanTimes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** The moments that a timeline marks: fault, election, the first lasting answer, heal, and the way back. */
final class Marks {

    private final List<AddressHolder> nodes;
    private final List<Mark> marks = new ArrayList<>();

    private Marks(List<AddressHolder> nodes) {
        this.nodes = nodes;
    }

    /** In order of time; {@code verdict} is null while there is none. */
    static List<Mark> of(PlanTimes moments, List<AddressHolder> nodes, List<Long> goodUs, ShownVerdict verdict) {
        Marks found = new Marks(nodes);
        found.event(moments.firedFromUs(), moments.healFromUs(), Mark.MarkKind.FAULT, Mark.MarkKind.ELECTION);
        found.event(moments.healInTimeUs(), moments.endUs(), Mark.MarkKind.HEAL, Mark.MarkKind.BACK);
        if (verdict != null && moments.firedFromUs() != null) {
            verdict.goodUs().forEach(atUs -> found.marks.add(new Mark(Mark.MarkKind.GOOD, atUs, false)));
        } else if (verdict == null) {
            goodUs.forEach(atUs -> found.marks.add(new Mark(Mark.MarkKind.GOOD, atUs, true)));
        }
        found.marks.sort(Comparator.comparingLong(Mark::atUs));
        return List.copyOf(found.marks);
    }

    private void event(Long atUs, Long overUs, Mark.MarkKind event, Mark.MarkKind taken) {
        if (atUs == null) {
            return;
        }
        marks.add(new Mark(event, atUs, false));
        OptionalLong first = nodes.stream()
                .flatMap(node -> node.holds().stream())
                .mapToLong(Span::fromUs)
                .filter(begin -> begin > atUs && (overUs == null || begin < overUs))
                .min();
        first.ifPresent(begin -> marks.add(new Mark(taken, begin, false)));
    }
}
