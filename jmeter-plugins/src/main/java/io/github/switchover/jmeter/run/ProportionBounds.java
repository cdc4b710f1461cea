package io.github.switchover.jmeter.run;

import java.util.function.DoubleUnaryOperator;

/** The exact one-sided bounds of a proportion (Clopper and Pearson, 1934): each holds with the confidence asked for. */
public record ProportionBounds(double low, double high) {

    private static final int HALVINGS = 60;

    /** {@code number} of {@code total} were seen. */
    public static ProportionBounds of(int number, int total, double confidence) {
        if (number < 0 || number > total || total == 0) {
            throw new IllegalArgumentException("a proportion is of something");
        }
        double[] logFactorials = logFactorials(total);
        double low = number == 0 ? 0 : solve(p -> 1 - atMost(number - 1, total, p, logFactorials), 1 - confidence);
        double high = number == total ? 1 : solve(p -> 1 - atMost(number, total, p, logFactorials), confidence);
        return new ProportionBounds(low, high);
    }

    /** The probability of at most so many of that total, each with probability p. */
    private static double atMost(int number, int total, double p, double[] logFactorials) {
        double logP = Math.log(p);
        double logQ = Math.log1p(-p);
        double sum = 0;
        for (int k = 0; k <= number; k++) {
            double ways = logFactorials[total] - logFactorials[k] - logFactorials[total - k];
            sum += Math.exp(ways + k * logP + (total - k) * logQ);
        }
        return Math.min(1, sum);
    }

    private static double[] logFactorials(int total) {
        double[] found = new double[total + 1];
        for (int k = 2; k <= total; k++) {
            found[k] = found[k - 1] + Math.log(k);
        }
        return found;
    }

    /** Where a function that rises from 0 to 1 has that value. */
    private static double solve(DoubleUnaryOperator rising, double wanted) {
        double low = 0;
        double high = 1;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (low + high) / 2;
            if (rising.applyAsDouble(middle) < wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }
}
