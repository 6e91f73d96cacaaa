"""One module per noun, and one for each group of verbs at the top."""
