"""The truth on disk: records as Markdown files, and the small state beside them.

Synchronous, free of logging: findings are returned as values. Errors of the system (OSError) pass
through; refusals of our own are ProviderErrors that name the path or setting and what to do.
"""
