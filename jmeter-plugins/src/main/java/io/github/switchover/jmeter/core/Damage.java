package io.github.switchover.jmeter.core;

/**
 * A file that is not as it was when it was closed.
 *
 * @param fromByte up to here it is as it was
 * @param toByte the end of the first damaged block, or of what is missing
 * @param isCut it ends at {@code fromByte}
 */
public record Damage(String name, long fromByte, long toByte, boolean isCut) {

    /** In one line. */
    public String text() {
        String from = Numbers.grouped(fromByte);
        String to = Numbers.grouped(toByte);
        return isCut
                ? name + " was cut off: of " + to + " bytes the first " + from + " are here"
                : name + " is damaged between byte " + from + " and " + to;
    }
}
