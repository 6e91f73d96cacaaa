"""The scripted driver of the engine: one thread, a virtual clock, a copy of the ledger in memory."""
