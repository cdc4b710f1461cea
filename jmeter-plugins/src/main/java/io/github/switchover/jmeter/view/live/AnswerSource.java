package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Identity;

/** Who answered: what the requests of a series have in common. */
public record AnswerSource(String balancer, String backend, String answeredBy) {

    static final AnswerSource OTHER = new AnswerSource(BoundedNames.OTHER, BoundedNames.OTHER, BoundedNames.OTHER);

    static AnswerSource of(Identity identity) {
        return new AnswerSource(
                identity.balancer(), identity.backend(), identity.answeredBy().label());
    }
}
