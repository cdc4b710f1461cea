"""The user class `BalancerHttpUser`, which generates more load per processor core and measures exact times."""
