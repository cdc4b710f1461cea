package io.github.switchover.jmeter.view.live;

/**
 * What there is to show now.
 *
 * @param snapshot null: no run
 * @param trouble why what was asked for cannot be shown, in one line; else null
 * @param reading what is being read, as text; else null
 */
public record ViewState(RunSnapshot snapshot, String trouble, String reading) {

    public static final ViewState NOTHING = new ViewState(null, null, null);
}
