package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.Run;
import java.util.List;

/**
 * What was counted in a run, in one pass over its probes and one over its samples.
 *
 * @param longestGap between two good answers of the load; null: not known
 * @param witness who answered meanwhile
 * @param takeover when another balancer answered
 */
record RunCounts(Trust.CountedRequests requests, Span longestGap, AnswerWitness witness, TakeoverTime takeover) {

    static RunCounts of(RunData data, RunCourse course) {
        Run run = data.run();
        long lateUs = run.settings().lateUs();
        String hit = run.fault() == null ? "" : run.fault().hit();
        AnswerWitness witness = new AnswerWitness(hit, course.faulted());
        TakeoverTime takeover = new TakeoverTime(run, course.faulted(), lateUs);
        DistributionTally answers = new DistributionTally(course.phases());
        PopulationTally probes = new PopulationTally(course.phases(), lateUs);
        for (Sample probe : data.probes()) {
            probes.add(probe);
            answers.add(probe);
            witness.add(probe);
            takeover.add(probe);
        }
        PopulationTally samples = new PopulationTally(course.phases(), lateUs);
        LongestGap gap =
                new LongestGap(course.faulted().fromUs(), course.faulted().toUs());
        for (Sample sample : data.samples()) {
            samples.add(sample);
            answers.add(sample);
            witness.add(sample);
            takeover.add(sample);
            gap.add(sample);
        }
        Population ofProbes = run.settings().isProbed() ? probes.population(List.of(), false) : null;
        Population ofSamples = samples.lines() == 0 ? null : samples.population(data.points(), true);
        Distribution distribution =
                answers.distribution(run.settings().balancing().algorithm());
        return new RunCounts(
                new Trust.CountedRequests(ofProbes, ofSamples, probes, samples, distribution),
                course.isFired() ? gap.found() : null,
                witness,
                takeover);
    }

    /** Of the load; where there is none, of the probes. */
    Population judged() {
        return requests.samples() == null ? requests.probes() : requests.samples();
    }

    PopulationTally judgedTally() {
        return requests.samples() == null ? requests.probeTally() : requests.sampleTally();
    }
}
