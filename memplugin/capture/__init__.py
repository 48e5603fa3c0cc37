"""What may become a memory by itself, as pure functions: rules, redaction, near duplicates."""
