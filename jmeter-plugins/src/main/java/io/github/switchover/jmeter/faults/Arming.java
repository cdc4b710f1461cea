package io.github.switchover.jmeter.faults;

/** Whether the user has said, at the keyboard, that a fault at a real target is meant. */
public enum Arming {
    /** By the word of the command line, or by a Yes in JMeter's window. */
    SAID(""),

    NOT_SAID("add " + Arming.OPTION + " to mean it"),

    /** The property is true, but no command line of this process says so. */
    SAVED("a true in a file or set by a plan arms nothing: add " + Arming.OPTION + " to the command line to mean it"),

    /** The user was asked in JMeter's window. */
    DECLINED("the question at the start of the test was not answered with Yes");

    /** The word of the command line. */
    public static final String OPTION = "-Jswitchover.armed=true";

    private final String advice;

    Arming(String advice) {
        this.advice = advice;
    }

    /** Why nothing fires, and what would make it. */
    String advice() {
        return advice;
    }
}
