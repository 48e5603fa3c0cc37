"""A memory provider for LLM agents.

`wire` speaks JSON-RPC lines, `protocol` holds the values of the contract, `router` maps methods to
`service`, which uses `store` (the Markdown files, the truth), `index` (SQLite, derived from them),
`recall` and `capture` (pure). `app` puts them together; `cli` is the door for people.
"""

__version__ = "0.1.0"
