package io.github.switchover.jmeter.faults;

import java.nio.file.Path;
import java.util.List;

/** The watchdogs that live. */
final class Watchdogs {

    private Watchdogs() {}

    static List<ProcessHandle> of(Path directory) {
        String log = directory.resolve(UndoList.LOG_FILE).toString();
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    List<String> arguments = List.of(process.info().arguments().orElse(new String[0]));
                    return arguments.contains("switchover-watchdog") && arguments.contains(log);
                })
                .filter(ProcessHandle::isAlive)
                .toList();
    }
}
