"""One module per word at the top. One that has a function of its own name is a verb; any other is a noun with verbs."""
