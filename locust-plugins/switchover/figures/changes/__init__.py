"""Measure the losses and delays that a series of changes caused."""
