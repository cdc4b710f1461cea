package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file in the run directory that lets only one process of a run fire: the process that creates it. */
final class FiredFile {

    static final String NAME = "fault.fired";

    private FiredFile() {}

    /** Throws when it is there already. */
    static void requireAbsent(Path directory, String fault) {
        Path path = directory.resolve(NAME);
        if (Files.exists(path)) {
            throw new FaultException(
                    fault + " does not fire: a fault was fired in this run already, as " + path + " says");
        }
    }

    /** Throws when it is there already, or cannot be made: then nothing may be fired. */
    static void make(Path directory, String fault) {
        Path path = directory.resolve(NAME);
        String who = fault + " by process " + ProcessHandle.current().pid() + "\n";
        try {
            Files.write(path, who.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException error) {
            throw new FaultException(
                    fault + " does not fire: a fault was fired in this run already, as " + path + " says", error);
        } catch (IOException error) {
            forget(path);
            throw new FaultException(fault + " does not fire: cannot write " + path + ": " + Reason.of(error), error);
        }
    }

    /** Made, but not written: the disk is full. */
    private static void forget(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException error) {
            // A failure to make it was already reported. A file that remains prevents the next fault.
        }
    }
}
