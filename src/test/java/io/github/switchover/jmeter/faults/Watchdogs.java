package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.Until;
import java.nio.file.Path;
import java.util.List;

/** The watchdogs that live. */
final class Watchdogs {

    private Watchdogs() {}

    static List<ProcessHandle> of(Path directory) {
        String command = "\0switchover-watchdog\0" + directory.resolve(UndoList.LOG_FILE) + "\0";
        return ProcessHandle.allProcesses()
                // Java itself shows the first 4096 bytes of a command only.
                .filter(process -> Until.text(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                        .contains(command))
                .filter(ProcessHandle::isAlive)
                .toList();
    }
}
