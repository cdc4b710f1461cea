package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.Verdict;
import java.util.List;
import java.util.Map;

/**
 * All that is shown of a run at one moment; immutable, so that it can be drawn while the next one is made.
 *
 * @param state what is known of the run by now
 * @param beginS the first second that is shown
 * @param nowUs until when it is told
 * @param who by number of the series in the stretches
 * @param answeredBy requests by who answered them
 * @param splitBrainMs null: not every balancer has a witness
 * @param splitPartial older moves of the address than are kept may have added to it
 * @param samplesByKind failed requests by kind; null where it is told only at the end
 * @param verdict null before the run was judged
 */
public record RunSnapshot(
        RunState state,
        ShownRun run,
        Moments moments,
        long beginS,
        long nowUs,
        List<Stretch> stretches,
        List<AnswerSource> who,
        List<Share> backends,
        List<Share> balancers,
        Map<String, Long> answeredBy,
        List<PhaseCounts> phases,
        List<AddressHolder> nodes,
        List<String> holding,
        Double splitBrainMs,
        boolean splitPartial,
        List<Span> splits,
        List<Mark> marks,
        List<RunEvent> events,
        Map<String, Long> probesByKind,
        Map<String, Long> samplesByKind,
        Verdict verdict) {

    /** What is known of the run by now. */
    public enum RunState {
        RUNNING,
        ENDED,
        JUDGED,
        /** A sample log without a run around it. */
        SAMPLES
    }

    /** The phase that the run is in, or ended in. */
    public String phase() {
        return phases.isEmpty() ? "" : phases.get(phases.size() - 1).phase();
    }

    public boolean probed() {
        return verdict == null
                ? stretches.stream().anyMatch(stretch -> stretch.probes().total() > 0)
                : verdict.probes() != null;
    }
}
