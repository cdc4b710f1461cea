package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a switchover may cost at most: a limit that is kept by anything up to it.
 *
 * @param isDefault nobody asked for it: it holds wherever the run has, or was to have, a witness for it
 */
public record Budget(Name name, double limit, Unit unit, boolean isDefault) {

    /** What is limited; {@code label()} is how people write it. */
    public enum Name {
        OUTAGE("outage"),
        FAILBACK("failback"),
        FAILED("failed"),
        FAILED_TOTAL("failed-total"),
        LATE("late"),
        SPLIT_BRAIN("split-brain"),
        UNEXPLAINED("unexplained");

        private final String label;

        Name(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }

        static Optional<Name> of(String label) {
            return Arrays.stream(values())
                    .filter(name -> name.label.equals(label))
                    .findFirst();
        }

        boolean isDuration() {
            return this == OUTAGE || this == FAILBACK || this == SPLIT_BRAIN;
        }
    }

    /** What the limit counts in; a share is 0 to 1. */
    public enum Unit {
        MILLISECONDS("ms"),
        SHARE("share"),
        REQUESTS("requests");

        private final String label;

        Unit(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }

        /** A limit or a value for people: {@code 5s}, {@code 1.25%}, {@code 20}. */
        public String format(double value) {
            return switch (this) {
                case SHARE -> trimmed(Numbers.fixed(value * 100, 4)) + "%";
                case REQUESTS -> Numbers.fixed(value, 0);
                case MILLISECONDS -> trimmed(Numbers.fixed(value / 1000, 3)) + "s";
            };
        }

        private static String trimmed(String decimals) {
            return decimals.replaceFirst("\\.?0+$", "");
        }
    }

    /** Its canonical form. */
    @Override
    public String toString() {
        return name.label + "=" + unit.format(limit);
    }
}
