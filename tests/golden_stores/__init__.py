"""Small stores with questions whose right answer a reader agrees with.

Each file but `wanted.toml` is one store; each record and each question is one line.

    records  id, type, text; session (who said it where), day (when it was written, else `today`)
    queries  ask, and what must hold of the answer:
             first    the record that comes first
             among    records that are within the first `within`
             not      records that are not in the answer
             nothing  true: the answer is empty
    today    when the questions are asked

`wanted.toml` has further questions, each with its store: what recall is to learn. No test demands
them; `python -m tests.golden_stores` counts those that are answered.
"""
