"""The audit: every invariant of a ledger, one function each, asked of any open connection."""
