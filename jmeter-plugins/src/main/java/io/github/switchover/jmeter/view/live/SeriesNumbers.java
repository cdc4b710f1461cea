package io.github.switchover.jmeter.view.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for those who answered; beyond a limit all are {@code other}. Not thread-safe. */
final class SeriesNumbers {

    /** Distinct combinations of balancer, backend and who answered that are told apart. */
    static final int LIMIT = 100;

    private final List<AnswerSource> who = new ArrayList<>();
    private final Map<AnswerSource, Integer> numbers = new HashMap<>();

    int number(AnswerSource asked) {
        Integer known = numbers.get(asked);
        if (known != null) {
            return known;
        }
        AnswerSource told = who.size() >= LIMIT - 1 ? AnswerSource.OTHER : asked;
        return numbers.computeIfAbsent(told, added -> {
            who.add(added);
            return who.size() - 1;
        });
    }

    /** By number. */
    List<AnswerSource> listed() {
        return List.copyOf(who);
    }
}
