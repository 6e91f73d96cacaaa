"""Arguments, rendering and exit status. Only here: typer and rich."""
