package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Span;
import java.util.List;

/**
 * A node that may hold the virtual address.
 *
 * @param observed whether a source tells of it
 * @param holds when it had the address, in order of time
 */
public record AddressHolder(String node, boolean observed, List<Span> holds) {

    public AddressHolder {
        holds = List.copyOf(holds);
    }
}
