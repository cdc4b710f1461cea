package io.github.switchover.jmeter.view.live;

/**
 * What there is to show now.
 *
 * @param snapshot null: no run
 * @param trouble why it cannot be shown, in one line; else null
 */
public record ViewState(RunSnapshot snapshot, String trouble) {

    public static final ViewState NOTHING = new ViewState(null, null);
}
