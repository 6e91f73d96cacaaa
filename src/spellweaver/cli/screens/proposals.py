"""What an import says of each line: as items, and as the talk beside the file that it prints."""

from __future__ import annotations

from spellweaver.errors import BadFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item
    from spellweaver.manifest.proposal import Note, Proposal

SAID = {"changed": "changed", "dropped": "can't be kept", "unreadable": "can't be read"}


def items(proposal: Proposal) -> list[Item]:
    """One for each line, blank ones too."""
    return [
        {
            "path": answer.path, "line": answer.line, "text": answer.text, "what": answer.what, "answer": answer.word,
            "schedules": [job.name for job in answer.jobs], "notes": [_note(note) for note in answer.notes],
        } for answer in proposal.answers
    ]  # fmt: skip


def more(proposal: Proposal, toml: str) -> Item:
    """The keys beside the items."""
    return {"toml": toml, "everywhere": [_note(note) for note in proposal.everywhere]}


def write(frame: Frame, toml: str) -> None:
    """The file as it is; on a terminal without what a terminal would obey, since TOML may hold some of that."""
    if frame.terminal:
        frame.line(toml.removesuffix("\n"))
    else:
        frame.write(toml)


def _note(note: Note) -> Item:
    return {"answer": note.word, "text": note.sentence}


def tell(frame: Frame, proposal: Proposal) -> int:
    """Says each line that is not simply kept, and the count. 0, or 1 where something can't be kept.

    Raises BadFile with every line that can't be read.
    """
    from spellweaver.manifest.problems import Problem

    for answer in proposal.answers:
        for note in answer.notes:
            if note.word in ("changed", "dropped"):
                frame.say(f"{answer.path}:{answer.line}: {SAID[note.word]}: {note.sentence}")
    counted = ", ".join(f"{count} {said}" for word, said in SAID.items() if (count := proposal.count(word)))
    frame.say(
        f"{_plural(len(proposal.answers), 'line')}, {_plural(len(proposal.jobs), 'Schedule')}: "
        f"{counted or 'everything is kept'}"
    )
    problems = tuple(
        Problem(
            answer.path, answer.line, len(answer.text) - len(answer.text.lstrip()) + 1, "", note.sentence,
            text=answer.text,
        ) for answer in proposal.answers for note in answer.notes if note.word == "unreadable"
    )  # fmt: skip
    if problems:
        raise BadFile(
            "lines_unreadable", f"{_plural(len(problems), 'line')} can't be read; the others were", problems=problems
        )
    if proposal.jobs:
        frame.next("check", "FILE")
    return 1 if proposal.count("dropped") else 0


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
