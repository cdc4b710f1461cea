package io.github.switchover.jmeter.http;

import java.util.ArrayList;
import java.util.List;

/** Kept connections that wait for their next turn, and whether one of them got lost over it. Not thread-safe. */
final class IdleConnections {

    /** More are opened only while others hang. */
    private static final int LIMIT = 4;

    private final List<Connection> waiting = new ArrayList<>();
    private boolean lost;

    /** The one used last that leads there; null: none does. */
    Connection take(Destination destination) {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).destination.equals(destination)) {
                return waiting.remove(i);
            }
        }
        return null;
    }

    /** False if there are enough. */
    boolean keep(Connection connection) {
        return waiting.size() < LIMIT && waiting.add(connection);
    }

    /** It came to its end while it waited: the next connection takes its place. */
    void lose(Connection connection) {
        waiting.remove(connection);
        lost = true;
    }

    /** Whether a new connection takes the place of a lost one: said once, of however many. */
    boolean replacesLost() {
        boolean replaces = lost;
        lost = false;
        return replaces;
    }

    void clear() {
        waiting.clear();
    }
}
