"""The law: frozen values in, frozen values out. No I/O, no clock, no thread, no SQL."""
