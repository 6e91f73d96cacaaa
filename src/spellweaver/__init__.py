"""A scheduler for single hosts that accounts for every firing."""

__version__ = "0.1.0"
