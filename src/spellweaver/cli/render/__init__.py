"""Three renderers of the same items: a terminal, a pipe, JSON. None is ever switched to by surprise."""
