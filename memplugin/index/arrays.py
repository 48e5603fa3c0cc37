"""How numpy is brought in: late, and on one core."""

import os


def one_core() -> None:
    """Keep numpy's linear algebra on the calling thread; has no effect once numpy is imported.

    Our products are small: handing them to other threads costs more than it saves, and each such
    thread holds tens of megabytes.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
