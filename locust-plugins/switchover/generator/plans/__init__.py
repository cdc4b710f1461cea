"""Locustfiles that come with the package. Locust loads them by their path; nothing here imports them."""
