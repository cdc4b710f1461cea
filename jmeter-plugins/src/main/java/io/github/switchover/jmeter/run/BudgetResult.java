package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;

/**
 * A budget against what the run measured.
 *
 * @param value null where the run could not measure it
 * @param passed null where the run could not measure it
 * @param isDefault it was not asked for: it holds wherever the run has a witness for it
 */
public record BudgetResult(
        String name,
        double limit,
        BudgetUnit unit,
        Double value,
        Boolean passed,
        @SerializedName("default") boolean isDefault,
        String note) {

    public BudgetResult {
        unit = unit == null ? BudgetUnit.MILLISECONDS : unit;
        note = note == null ? "" : note;
    }

    /** As it is written: {@code outage=5s}. */
    public String text() {
        return name + "=" + unit.format(limit);
    }
}
