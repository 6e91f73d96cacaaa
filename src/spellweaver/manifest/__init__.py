"""Operator files and the host's zone bytes, read into drafts. Only here: pydantic, tomllib, tomli_w, tzdata."""
