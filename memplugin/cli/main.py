"""The commands: list, show, search, trust, manifest, demo."""

import errno
import os
from pathlib import Path

import click

from memplugin import __version__
from memplugin.cli.shelf import open_shelf
from memplugin.manifest import of_this_installation
from memplugin.protocol.errors import ProviderError
from memplugin.protocol.records import Record, RecordStatus, timestamp
from memplugin.store.places import find_places

_project = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    default=".",
    help="Any folder of the project; by default the current one.",
)


class _Commands(click.Group):
    """Commands whose failures are told in one line; the exit code is 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ProviderError as error:
            raise click.ClickException(_plain(error.message)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of our output has seen enough
                raise
            raise click.ClickException(_plain(_told(error))) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memplugin")
def cli() -> None:
    """Memory for LLM agents. `memplugin serve` is what a kernel starts; the rest is for people."""


@cli.command()
def serve() -> None:
    """Serve a kernel on stdin and stdout (`memplugin serve --help` lists the options)."""


@cli.command("list")
@_project
def list_records(project: Path) -> None:
    """List the memories of a project and the global ones.

    Example: memplugin list --project ~/src/shop
    """
    records = open_shelf(project).records()
    for record in records:
        click.echo(_line(record))
    if not records:
        click.echo("no memories yet", err=True)


@cli.command()
@click.argument("id")
@_project
def show(id: str, project: Path) -> None:
    """Show one memory and where its file lies.

    Example: memplugin show mail-relay
    """
    record, path = open_shelf(project).one(id)
    click.echo(f"{_plain(record.title)}\n{'=' * min(len(record.title), 72)}")
    facts = {
        "id": record.id,
        "type": record.type.value,
        "scope": record.scope.value,
        "status": record.status.value,
        "written": timestamp(record.created_at),
        "changed": timestamp(record.updated_at),
        "by": record.provenance.recorded_by,
        "session": record.provenance.source_session_id or "(none)",
        "links": ", ".join(record.links) or "(none)",
        "file": str(path),
    }
    for name, value in facts.items():
        click.echo(f"{name + ':':9}{_plain(value)}")
    click.echo(f"\n{_plain(record.text)}")


@cli.command()
@click.argument("words", nargs=-1, required=True)
@_project
def search(words: tuple[str, ...], project: Path) -> None:
    """Search the memories, the most relevant first.

    Example: memplugin search mail port
    """
    found = open_shelf(project).search(" ".join(words))
    for score, record in found:
        click.echo(f"{score:.2f}  {_line(record)}")
    if not found:
        click.echo("nothing relevant", err=True)


@cli.command()
@_project
@click.option("--remove", is_flag=True, help="Hold the project's memories back again.")
def trust(project: Path, *, remove: bool) -> None:
    """Let memories that came with a project be recalled into a model.

    Look at them first: memplugin list --project DIR
    """
    folder = open_shelf(project).trust(remove=remove)
    click.echo(f"{'held back' if remove else 'trusted'}: {folder}")


@cli.command()
@click.option("--install", is_flag=True, help="Write it where a plugin registry finds it.")
def manifest(*, install: bool) -> None:
    """Print the plugin.toml of this installation."""
    text = of_this_installation()
    if not install:
        click.echo(text, nl=False)
        return
    path = find_places().data.parent / "plugins" / "memplugin" / "plugin.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    click.echo(str(path))


@cli.command()
def demo() -> None:
    """Play a session between a kernel and the plugin, and show each exchange."""
    from memplugin.cli.demo import play  # noqa: PLC0415 - it starts processes

    play(click.echo)


def _line(record: Record) -> str:
    draft = " (draft)" if record.status is RecordStatus.PENDING else ""
    day = record.updated_at.date().isoformat()
    kind = f"{record.scope.value}/{record.type.value}"
    return f"{record.id:32}  {kind:18}  {day}  {_plain(record.title)}{draft}"


def _told(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    name = error.filename
    return f"{os.fsdecode(name)}: {reason}" if isinstance(name, str | bytes) else reason


def _plain(text: str) -> str:
    """Return text that cannot steer a terminal: other controls are shown as escapes."""
    return "".join(
        character
        if character.isprintable() or character in "\n\t"
        else character.encode("unicode_escape").decode()
        for character in text
    )
