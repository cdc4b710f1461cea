package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.nio.file.Path;

/** A run directory that cannot be written or read. */
public class RunDirectoryException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public RunDirectoryException(String message) {
        super(message);
    }

    public RunDirectoryException(String message, Throwable cause) {
        super(message, cause);
    }

    static RunDirectoryException cannotWrite(Path path, IOException error) {
        return new RunDirectoryException("cannot write " + path + ": " + Reason.of(error), error);
    }

    public static RunDirectoryException cannotRead(Path path, IOException error) {
        return new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
    }
}
