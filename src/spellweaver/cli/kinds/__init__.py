"""What every command puts out in JSON, kind by kind. ``generate`` makes the JSON Schemas of it; nothing at run time
reads it.

A module here holds ``KINDS``: the name of a kind, and the shape of one item. All keys are always there; words are
closed; keys are only added within a version.
"""
