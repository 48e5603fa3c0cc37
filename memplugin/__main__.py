"""The command `memplugin`: serves a kernel, or hands over to the commands for people."""

import sys
from collections.abc import Sequence
from pathlib import Path

GREETING = """\
memplugin is a memory provider for LLM agents. An agent kernel starts it and speaks JSON-RPC 2.0
with it, one message a line, over stdin and stdout.

To try it by hand, pipe lines into it; it answers the kernel's part itself:
  echo '{"jsonrpc":"2.0","id":1,"method":"memory.describe","params":{}}' | memplugin --local-kernel

For people: memplugin list, memplugin search WORDS, memplugin show ID, memplugin --help
To see a whole session: memplugin demo
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words and sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(GREETING)
        return
    if not words or words[0] == "serve" or _is_for_serving(words[0]):
        _serve(words[1:] if words[:1] == ["serve"] else words)
        return
    from memplugin.cli.main import cli  # noqa: PLC0415 - serving must not pay for it

    cli(words, prog_name="memplugin")


def _is_for_serving(word: str) -> bool:
    return word.startswith("--") and word not in {"--help", "--version"}


def _serve(words: Sequence[str]) -> None:
    # Imported here, so that the greeting and the commands for people need none of it.
    from memplugin.options import BadOptionError, Options, base_config  # noqa: PLC0415
    from memplugin.store.places import find_places  # noqa: PLC0415

    def folder() -> Path:
        return find_places().config

    try:
        options = Options()
        if words:
            from memplugin.command_line import parse_options  # noqa: PLC0415 - seldom

            options = parse_options(words)
        base = base_config(options, folder)
    except BadOptionError as error:
        sys.stderr.write(f"memplugin: {error}\n")
        sys.exit(2)
    from memplugin.app import serve  # noqa: PLC0415 - after the mistakes that are told at once

    serve(options, base)


if __name__ == "__main__":
    main()
