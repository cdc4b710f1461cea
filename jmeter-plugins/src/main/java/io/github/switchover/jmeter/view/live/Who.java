package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Names;

/** Who answered: what the requests of a series have in common. */
public record Who(String balancer, String backend, String answeredBy) {

    static final Who OTHER = new Who(Names.OTHER, Names.OTHER, Names.OTHER);

    static Who of(Identity identity) {
        return new Who(
                identity.balancer(), identity.backend(), identity.answeredBy().label());
    }
}
