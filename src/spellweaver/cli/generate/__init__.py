"""Man pages, completions and schemas, made from the command tree by one walk. Tests hold the committed files to the
byte.

``python -m spellweaver.cli.generate`` rewrites them all.
"""
