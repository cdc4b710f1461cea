"""What integration tests and proofs share."""
