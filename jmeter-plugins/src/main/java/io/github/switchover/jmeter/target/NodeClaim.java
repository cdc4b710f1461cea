package io.github.switchover.jmeter.target;

import java.util.List;

/**
 * A lock on the nodes themselves, for users on other machines.
 *
 * @param claim takes it, before a fault
 * @param release gives it back
 * @param variables of the environment that both get beside the usual ones
 */
public record NodeClaim(List<String> claim, List<String> release, List<String> variables) {

    public NodeClaim {
        claim = List.copyOf(claim);
        release = List.copyOf(release);
        variables = List.copyOf(variables);
    }

    /** Without the arguments, which may hold credentials. */
    @Override
    public String toString() {
        return "NodeClaim[]";
    }
}
