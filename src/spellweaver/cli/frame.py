"""What every command is handed: the shared options, the places, the clock, and the one way to speak.

Data goes to ``out``, talk to ``talk``. Which renderer speaks is settled by the options and by what ``out`` is, never
by the data. Read commands load this module, so whatever is dear is imported where it is used.
"""

from __future__ import annotations

import os

from spellweaver.cli.places import Places
from spellweaver.cli.words import plain_lines
from spellweaver.clock import SystemClock
from spellweaver.errors import DiskTrouble, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TextIO

    from spellweaver.cli.render.document import Head
    from spellweaver.cli.render.terminal import Paper
    from spellweaver.cli.values import Column, Item
    from spellweaver.clock import Clock
    from spellweaver.ledger.observe import View


class Frame:
    """One call of the program. ``hear`` takes shared options; whatever is said nearer to the verb wins."""

    def __init__(
        self, *, program: str, environ: Mapping[str, str], out: TextIO, talk: TextIO, clock: Clock | None = None
    ) -> None:
        self.program = program
        self.environ = environ
        self.out = out
        self.talk = talk
        self.clock: Clock = clock or SystemClock()
        self.as_of = self.clock.now()
        self.json = self.jsonl = self.header = self.utc = self.quiet = False
        self.color = "auto"
        self.said_ledger: str | None = None
        self._places: Places | None = None

    def hear(self, said: Mapping[str, object]) -> None:
        for name, value in said.items():
            if value is not None and value is not False:
                setattr(self, "said_ledger" if name == "ledger" else name, value)
        self._places = None
        if self.json and self.jsonl:
            raise Usage("json_or_jsonl", "--json and --jsonl exclude each other: one document, or one object a line")

    @property
    def places(self) -> Places:
        if self._places is None:
            self._places = Places(self.said_ledger, self.environ, os.geteuid())
        return self._places

    @property
    def actor(self) -> str:
        """Who decides, for the journal."""
        return f"uid:{os.getuid()}"

    def observe(self) -> View:
        """A snapshot of the ledger. Raises NotFound, Unusable, DiskTrouble, TryAgain."""
        from spellweaver.ledger.observe import observe

        return observe(self.places.ledger)

    # what the terminal is like

    @property
    def terminal(self) -> bool:
        """Whether a person reads the data as it is, rather than a program behind a pipe or in JSON."""
        return not (self.json or self.jsonl) and self.out.isatty()

    @property
    def colours(self) -> bool:
        if self.color != "auto":
            return self.color == "always"
        if self.environ.get("NO_COLOR"):
            return False
        if self.environ.get("CLICOLOR_FORCE", "0") != "0":
            return True
        return self.out.isatty() and self.environ.get("TERM") != "dumb"

    @property
    def unicode(self) -> bool:
        """Whether the locale writes UTF-8. An unset one does: Python and today's systems read it as C.UTF-8."""
        locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := self.environ.get(name))), "UTF-8")
        encoding = (getattr(self.out, "encoding", None) or "utf-8").lower().replace("-", "")
        return encoding == "utf8" and locale.lower().replace("-", "").endswith(("utf8", "utf8@euro"))

    @property
    def paper(self) -> Paper:
        from spellweaver.cli.render.terminal import Paper

        return Paper(width=self.width, colours=self.colours, unicode=self.unicode, utc=self.utc)

    @property
    def width(self) -> int:
        if (said := self.environ.get("COLUMNS", "")).isdecimal() and int(said):
            return int(said)
        try:
            return os.get_terminal_size(self.out.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    @property
    def height(self) -> int:
        """Lines of the terminal."""
        try:
            return os.get_terminal_size(self.out.fileno()).lines or 24
        except (OSError, ValueError):
            return 24

    # data

    def show(
        self, kind: str, items: Iterable[Item], columns: tuple[Column, ...], *,
        head: Head | None = None, empty: str | None = None,
    ) -> None:  # fmt: skip
        """A list: a table for people, lines for a pipe, a document or a stream in JSON. ``empty``: said of none."""
        rows = list(items)
        if self.document(kind, rows, head=head):
            return
        if not rows and empty:
            self.say(empty)
        self.table(rows, columns)

    def describe(self, kind: str, item: Item, columns: tuple[Column, ...], *, head: Head | None = None) -> None:
        """One thing: a line for each field."""
        if not self.document(kind, [item], head=head):
            self.fields(item, columns)

    def document(self, kind: str, items: Iterable[Item], *, head: Head | None = None, more: Item | None = None) -> bool:
        """Writes JSON if it was asked for, and says whether it was. ``more`` are keys beside ``items``."""
        if self.json:
            from spellweaver.cli.render.document import envelope

            self.write(envelope(kind, items, as_of=self.as_of, head=head, more=more or {}) + "\n")
        elif self.jsonl:
            self.stream(items, ())
        return self.json or self.jsonl

    def table(self, items: Iterable[Item], columns: tuple[Column, ...]) -> None:
        """A table, or lines behind a pipe; never JSON."""
        if self.out.isatty():
            rows = list(items)
            if rows:
                from spellweaver.cli.render import terminal

                self.write(terminal.table(rows, columns, self.paper))
            return
        from spellweaver.cli.render import pipe

        for text in pipe.lines(items, columns, header=self.header, colours=self.colours):
            self.write(text + "\n")

    def fields(self, item: Item, columns: tuple[Column, ...]) -> None:
        """A description for people or a pipe; never JSON."""
        if self.out.isatty():
            from spellweaver.cli.render import terminal

            self.write(terminal.fields(item, columns, self.paper))
            return
        from spellweaver.cli.render import pipe

        for text in pipe.fields(item, columns, colours=self.colours):
            self.write(text + "\n")

    def stream(self, items: Iterable[Item], columns: tuple[Column, ...]) -> None:
        """Each item as it comes, at once: a JSON object a line, or the line of a pipe. Not ``--json``: a document
        ends.
        """
        if self.json:
            raise Usage("json_of_stream", "--json gives one document, and this has no end", hint="use --jsonl")
        if self.jsonl:
            from spellweaver.cli.render.document import line

            for item in items:
                self.write(line(item) + "\n", now=True)
            return
        from spellweaver.cli.render import pipe
        from spellweaver.cli.render.cells import for_people, for_programs

        people = self.out.isatty()
        read = (lambda value: for_people(value, utc=self.utc)) if people else for_programs
        apart = "  " if people else "\t"
        for text in pipe.lines(items, columns, header=self.header, colours=self.colours, read=read, apart=apart):
            self.write(text + "\n", now=True)

    def line(self, text: str = "") -> None:
        """A line of data that is a sentence or comes from a file: what a terminal would obey is shown as an escape."""
        self.write(plain_lines(text) + "\n")

    def write(self, text: str, *, now: bool = False) -> None:
        """Text that is safe already. Raises BrokenPipeError, and DiskTrouble when the output can't be written."""
        self._put(lambda: self.out.write(text))
        if now:
            self.flush()

    def flush(self) -> None:
        """Hands everything over now, so that what went wrong with it is said. Raises as ``write`` does."""
        self._put(self.out.flush)

    def _put(self, act: Callable[[], object]) -> None:
        try:
            act()
        except BrokenPipeError:
            raise
        except OSError as error:
            said = (error.strerror or str(error)).lower()
            raise DiskTrouble("output_not_written", f"the output can't be written: {said}") from None

    # talk

    def say(self, text: str) -> None:
        """Progress and what was done: not under ``--quiet``."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """What must be read even under ``--quiet``."""
        self.put_talk(plain_lines(text) + "\n")

    def put_talk(self, text: str) -> None:
        """Text that is safe already."""
        try:
            self.talk.write(text)
        except OSError:
            return  # nobody listens, and there is nobody else to tell

    def next(self, *words: str) -> None:
        """The next command, as it would have to be typed here."""
        self.say(f"next: {self.typed(*words)}")

    def typed(self, *words: str) -> str:
        """A command of ours as this operator would type it: the program as called, ``--ledger`` unless it is the
        usual one.
        """
        from spellweaver.cli.typed import quoted

        where = [] if self.places.ledger == self.places.usual else ["--ledger", self.places.ledger]
        return " ".join([self.program, *(quoted(word) for word in (*words, *where))])
