package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.Picture;
import io.github.switchover.jmeter.view.live.Share;
import io.github.switchover.jmeter.view.live.Who;
import java.awt.Color;
import java.util.List;

/** By whom the good answers of a second are stacked. */
enum Stacking {
    BACKEND("by backend"),
    BALANCER("by balancer");

    /** Where nobody told who answered. */
    static final String NOBODY = "not told";

    private final String words;

    Stacking(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }

    /** In the order in which they are stacked. */
    List<String> names(Picture picture) {
        return (this == BACKEND ? picture.backends() : picture.balancers())
                .stream().map(Share::name).toList();
    }

    String name(Who who) {
        return this == BACKEND ? who.backend() : who.balancer();
    }

    Color colour(Palette palette, Picture picture, int index) {
        if (this == BACKEND) {
            return Palette.nth(palette.backends(), index);
        }
        return balancer(palette, picture, names(picture).get(index));
    }

    /** The same for the answers of a balancer as for the time for which it held the address. */
    static Color balancer(Palette palette, Picture picture, String name) {
        List<String> nodes = picture.nodes().stream().map(node -> node.node()).toList();
        int index = nodes.indexOf(name);
        return Palette.nth(
                palette.balancers(),
                index >= 0 ? index : nodes.size() + BALANCER.names(picture).indexOf(name));
    }
}
