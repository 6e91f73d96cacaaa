"""The real driver of the engine: one loop, one writer thread, the wall clock."""
