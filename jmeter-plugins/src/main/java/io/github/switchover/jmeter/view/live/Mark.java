package io.github.switchover.jmeter.view.live;

/**
 * A moment that the timeline marks.
 *
 * @param provisional to the second, until the analysis has found it
 */
public record Mark(MarkKind kind, long atUs, boolean provisional) {

    /** What happened then; {@code word()} stands beside the mark. */
    public enum MarkKind {
        FAULT("fault"),
        ELECTION("election"),
        GOOD("good again"),
        HEAL("heal"),
        BACK("back");

        private final String word;

        MarkKind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }
}
