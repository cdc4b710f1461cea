"""Many runs: what of each a history keeps, where they are found, which of them are asked for, and what is usual."""
