package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.Run;
import java.util.List;

/**
 * What was counted in a run, in one pass over its probes and one over its samples.
 *
 * @param takeover when another balancer answered
 */
record RunCounts(Trust.CountedRequests requests, TakeoverTime takeover) {

    static RunCounts of(RunData data, RunCourse course) {
        Run run = data.run();
        long lateUs = run.settings().lateUs();
        TakeoverTime takeover = new TakeoverTime(run, course.faulted(), lateUs);
        DistributionTally answers = new DistributionTally(course.phases());
        PopulationTally probes = new PopulationTally(course.phases(), lateUs);
        for (Sample probe : data.probes()) {
            probes.add(probe);
            answers.add(probe);
            takeover.add(probe);
        }
        PopulationTally samples = new PopulationTally(course.phases(), lateUs);
        for (Sample sample : data.samples()) {
            samples.add(sample);
            answers.add(sample);
            takeover.add(sample);
        }
        Population ofProbes = run.settings().isProbed() ? probes.population(List.of(), false) : null;
        Population ofSamples = samples.lines() == 0 ? null : samples.population(data.points(), true);
        Distribution distribution =
                answers.distribution(run.settings().balancing().algorithm());
        return new RunCounts(new Trust.CountedRequests(ofProbes, ofSamples, probes, samples, distribution), takeover);
    }

    /** Of the load; where there is none, of the probes. */
    Population judged() {
        return requests.samples() == null ? requests.probes() : requests.samples();
    }
}
