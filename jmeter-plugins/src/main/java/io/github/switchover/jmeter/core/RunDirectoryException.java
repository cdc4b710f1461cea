package io.github.switchover.jmeter.core;

/** A run directory that cannot be written or read. */
public class RunDirectoryException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public RunDirectoryException(String message) {
        super(message);
    }

    public RunDirectoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
