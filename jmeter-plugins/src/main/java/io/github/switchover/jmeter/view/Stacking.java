package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.AnswerSource;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.Share;
import java.awt.Color;
import java.util.List;

/** By whom the good answers of a second are stacked. */
enum Stacking {
    BACKEND("by backend"),
    BALANCER("by balancer");

    /** Where it is unknown who answered. */
    static final String UNKNOWN = "unknown";

    private final String words;

    Stacking(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }

    /** In the order in which they are stacked. */
    List<String> names(RunSnapshot snapshot) {
        return (this == BACKEND
                        ? snapshot.traffic().backends()
                        : snapshot.traffic().balancers())
                .stream().map(Share::name).toList();
    }

    String name(AnswerSource who) {
        return this == BACKEND ? who.backend() : who.balancer();
    }

    Color colour(Palette palette, RunSnapshot snapshot, int index) {
        if (this == BACKEND) {
            return Palette.nth(palette.backends(), index);
        }
        return balancer(palette, snapshot, names(snapshot).get(index));
    }

    /** The same for the answers of a balancer as for the time for which it held the address. */
    static Color balancer(Palette palette, RunSnapshot snapshot, String name) {
        List<String> nodes =
                snapshot.address().nodes().stream().map(node -> node.node()).toList();
        int index = nodes.indexOf(name);
        return Palette.nth(
                palette.balancers(),
                index >= 0 ? index : nodes.size() + BALANCER.names(snapshot).indexOf(name));
    }
}
