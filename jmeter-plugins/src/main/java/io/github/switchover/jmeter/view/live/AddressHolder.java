package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Span;
import java.util.List;

/**
 * A node that may hold the virtual address.
 *
 * @param witnessed whether a witness tells of it
 * @param holds when it had the address, in order of time
 */
public record AddressHolder(String node, boolean witnessed, List<Span> holds) {

    public AddressHolder {
        holds = List.copyOf(holds);
    }
}
