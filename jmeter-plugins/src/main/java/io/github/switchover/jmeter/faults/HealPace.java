package io.github.switchover.jmeter.faults;

/**
 * How long a heal is waited for, and how soon the next one begins. As {@code faults/healer.py} has it.
 *
 * @param limitS how long this JVM tries to heal before it leaves that to the watchdog, which does not give up
 * @param retryS how long after a heal that failed began the next one begins
 * @param patienceS a heal that has not ended by then hangs, and a second one begins beside it; a third after twice as
 *     long, and so on
 * @param verifyS how long the proof may take to hold after a heal that succeeded, before the next one begins
 */
record HealPace(double limitS, double retryS, double patienceS, double verifyS) {

    static final HealPace USUAL = new HealPace(20, 1, 3, 5);
}
