package io.github.switchover.jmeter.core;

/** Anything that a user can mend; its message is the whole story, in one line. All else is a defect of ours. */
public class SwitchoverException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public SwitchoverException(String message) {
        super(message);
    }

    public SwitchoverException(String message, Throwable cause) {
        super(message, cause);
    }
}
