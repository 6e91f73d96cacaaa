"""Whether a place can be trusted with a ledger, and what is in the way there."""
