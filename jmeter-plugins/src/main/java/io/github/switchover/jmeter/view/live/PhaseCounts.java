package io.github.switchover.jmeter.view.live;

/**
 * What ended in a phase, to the second, and who answered; once the run is judged, the verdict's figures.
 *
 * @param requests null where there were none to count
 * @param probes null without a metronome
 */
public record PhaseCounts(
        String phase,
        Judgement.JudgedCounts requests,
        Judgement.JudgedCounts probes,
        Judgement.JudgedAnswers answers) {}
