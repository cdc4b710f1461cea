package io.github.switchover.jmeter.judge;

/**
 * A budget against what the run measured.
 *
 * @param value null where the run could not measure it
 * @param passed null where the run could not measure it
 */
public record BudgetResult(Budget budget, Double value, Boolean passed, String note) {

    static BudgetResult unknown(Budget budget, String note) {
        return new BudgetResult(budget, null, null, note);
    }

    static BudgetResult of(Budget budget, double value, String note) {
        return new BudgetResult(budget, value, value <= budget.limit(), note);
    }
}
