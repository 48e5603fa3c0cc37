"""One setting of Hypothesis for all: the same examples in every run; HUNT=1 looks for new ones."""

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("hunt", deadline=None)
settings.load_profile("hunt" if os.environ.get("HUNT") else "repeatable")
