package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.UsageException;
import java.math.BigDecimal;
import java.math.BigInteger;

/** A rate as people mean it: 333.3 is 3333/10, not the nearest binary fraction. */
public record Rate(long numerator, long denominator) {

    private static final long DENOMINATOR_LIMIT = 1_000_000;

    /** The nearest fraction with a denominator of at most 1,000,000. */
    public static Rate of(double perSecond) {
        if (!(perSecond > 0 && perSecond < 1e12)) {
            throw new UsageException("the probe rate must be above 0, not " + Numbers.general(perSecond));
        }
        BigDecimal exact = new BigDecimal(perSecond);
        int scale = Math.max(exact.scale(), 0);
        BigInteger n = exact.movePointRight(scale).toBigIntegerExact();
        BigInteger d = BigInteger.TEN.pow(scale);
        BigInteger common = n.gcd(d);
        return nearest(n.divide(common), d.divide(common));
    }

    double perSecond() {
        return (double) numerator / denominator;
    }

    /** By the continued fraction, as Python's {@code Fraction.limit_denominator}. */
    private static Rate nearest(BigInteger numerator, BigInteger denominator) {
        BigInteger limit = BigInteger.valueOf(DENOMINATOR_LIMIT);
        if (denominator.compareTo(limit) <= 0) {
            return new Rate(numerator.longValueExact(), denominator.longValueExact());
        }
        BigInteger n = numerator;
        BigInteger d = denominator;
        BigInteger p0 = BigInteger.ZERO;
        BigInteger q0 = BigInteger.ONE;
        BigInteger p1 = BigInteger.ONE;
        BigInteger q1 = BigInteger.ZERO;
        while (true) {
            BigInteger a = n.divide(d);
            BigInteger q2 = q0.add(a.multiply(q1));
            if (q2.compareTo(limit) > 0) {
                break;
            }
            BigInteger p2 = p0.add(a.multiply(p1));
            p0 = p1;
            q0 = q1;
            p1 = p2;
            q1 = q2;
            BigInteger rest = n.subtract(a.multiply(d));
            n = d;
            d = rest;
        }
        BigInteger k = limit.subtract(q0).divide(q1);
        BigInteger p = p0.add(k.multiply(p1));
        BigInteger q = q0.add(k.multiply(q1));
        // The two candidates lie on either side: the nearer one, and of two as near the one of the chain.
        BigInteger toChain =
                p1.multiply(denominator).subtract(numerator.multiply(q1)).abs().multiply(q);
        BigInteger toOther =
                p.multiply(denominator).subtract(numerator.multiply(q)).abs().multiply(q1);
        boolean chain = toChain.compareTo(toOther) <= 0;
        return new Rate((chain ? p1 : p).longValueExact(), (chain ? q1 : q).longValueExact());
    }
}
