"""What is derived from the files: one SQLite database a root, disposable at any time."""
