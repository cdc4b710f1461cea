package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.BudgetUnit;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a switchover may cost at most: a limit that is kept by anything up to it.
 *
 * @param isDefault nobody asked for it: it holds wherever the run has, or was to have, a witness for it
 */
public record Budget(Name name, double limit, BudgetUnit unit, boolean isDefault) {

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

    /** Against a value that was measured, or null with a note that says why there is none. */
    BudgetResult against(Double value, String note) {
        return result(value, value == null ? null : (Boolean) (value <= limit), note);
    }

    /** Over any limit: what was measured is a lower bound. */
    BudgetResult broken(double value, String note) {
        return result(value, false, note);
    }

    private BudgetResult result(Double value, Boolean passed, String note) {
        int decimals = unit == BudgetUnit.MILLISECONDS ? 3 : 9;
        Double rounded = value == null ? null : (Double) Numbers.round(value, decimals);
        return new BudgetResult(name.label, limit, unit, rounded, passed, isDefault, note);
    }

    /** Its canonical form. */
    @Override
    public String toString() {
        return name.label + "=" + unit.format(limit);
    }
}
