"""Autonomous capture: what of a conversation is worth keeping, told from the words alone.

Pure: no files, no SQL, no clock, no logging. `rules` hears a message and proposes candidates;
`redact` takes the secrets out of a text before anything of it is kept.
"""
