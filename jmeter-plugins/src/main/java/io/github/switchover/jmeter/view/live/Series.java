package io.github.switchover.jmeter.view.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for those who answered; beyond a limit all are {@code other}. Not thread-safe. */
final class Series {

    /** Distinct combinations of balancer, backend and who answered that are told apart. */
    static final int LIMIT = 100;

    private final List<Who> who = new ArrayList<>();
    private final Map<Who, Integer> numbers = new HashMap<>();

    int number(Who asked) {
        Integer known = numbers.get(asked);
        if (known != null) {
            return known;
        }
        Who told = who.size() >= LIMIT - 1 ? Who.OTHER : asked;
        return numbers.computeIfAbsent(told, added -> {
            who.add(added);
            return who.size() - 1;
        });
    }

    /** By number. */
    List<Who> listed() {
        return List.copyOf(who);
    }
}
