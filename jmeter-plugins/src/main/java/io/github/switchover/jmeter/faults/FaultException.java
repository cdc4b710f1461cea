package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.core.SwitchoverException;

/** A fault that cannot be fired, was not confirmed or did not heal. */
public class FaultException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public FaultException(String message) {
        super(message);
    }

    public FaultException(String message, Throwable cause) {
        super(message, cause);
    }
}
