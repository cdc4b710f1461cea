package io.github.switchover.jmeter.view.live;

/**
 * What there is to show now.
 *
 * @param picture null: no run
 * @param trouble why what was asked for cannot be shown, in one line; else null
 * @param reading what is being read, as text; else null
 */
public record Shown(Picture picture, String trouble, String reading) {

    public static final Shown NOTHING = new Shown(null, null, null);
}
