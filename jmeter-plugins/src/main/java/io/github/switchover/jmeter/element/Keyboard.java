package io.github.switchover.jmeter.element;

/** Where a user says that a fault at a real target is meant: never in a file. */
interface Keyboard {

    /** The word of the command line was typed when this JMeter was started. */
    boolean hasArmingWord();

    /**
     * There is a window with a user before it. A window stays open for days and starts many tests, so there each
     * test is asked for, and the word of the command line does not count.
     */
    boolean canAsk();

    /** Asks, and waits; true only for a Yes. {@code question}: plain text of several lines. */
    boolean isMeant(String question);
}
