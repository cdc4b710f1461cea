package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.nio.file.Path;

/** An error that a user can correct, with a message of one line. Any other exception is a defect of this program. */
public class SwitchoverException extends RuntimeException {

    public SwitchoverException(String message) {
        super(message);
    }

    public SwitchoverException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** A telemetry source that sent no usable answer. */
    public static class SourceException extends SwitchoverException {

        public SourceException(String message) {
            super(message);
        }

        public SourceException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** An invalid setting, or an invalid entry of a target file. */
    public static class UsageException extends SwitchoverException {

        public UsageException(String message) {
            super(message);
        }

        public UsageException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A run directory that cannot be written or read. */
    public static class RunDirectoryException extends SwitchoverException {

        public RunDirectoryException(String message) {
            super(message);
        }

        public RunDirectoryException(String message, Throwable cause) {
            super(message, cause);
        }

        public static RunDirectoryException cannotWrite(Path path, IOException error) {
            return new RunDirectoryException("cannot write " + path + ": " + Reason.of(error), error);
        }

        public static RunDirectoryException cannotRead(Path path, IOException error) {
            return new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
        }
    }

    /** A fault that cannot be fired, was not confirmed, or was not healed. */
    public static class FaultException extends SwitchoverException {

        public FaultException(String message) {
            super(message);
        }

        public FaultException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
