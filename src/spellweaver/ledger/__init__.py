"""All SQL, and the one door through which decisions are written: ``ledger.decide``. Only here: apsw."""
