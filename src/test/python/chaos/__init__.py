"""Drills with misfortunes: real components, a random moment, and what must be true whatever happens."""
