"""The use cases: what the router, the commands and other doors ask for, in values."""
