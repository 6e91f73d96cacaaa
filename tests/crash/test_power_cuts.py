"""The power goes after any operation of the disk: nothing acknowledged is lost, nothing is there that was not decided,
and whoever comes next goes on from there.

The history is told once and written down, operation by operation; images are made of the list. By hand:

    SPELLWEAVER_IMAGES=100000 python -m pytest tests/crash        so many images (5,000, if not said)
    SPELLWEAVER_SEED=7 python -m pytest tests/crash               other ones
    SPELLWEAVER_CUT=812:torn:3 python -m pytest tests/crash -k lost       the image that a failure names, alone
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.crash.history import History, Options, new_ledger, tell
from tests.crash.judge import Cut, Sweep, cuts, sweep, to_the_end, twice
from tests.crash.memory import Files, MemoryDisk, MemoryVFS
from tests.crash.power import MODELS, Disk

SEED = int(os.environ.get("SPELLWEAVER_SEED", "1"))
IMAGES = int(os.environ.get("SPELLWEAVER_IMAGES", "5000"))
ONE = [Cut.parse(os.environ["SPELLWEAVER_CUT"])] if "SPELLWEAVER_CUT" in os.environ else None
LONG = pytest.mark.timeout(300 + IMAGES // 20)


@pytest.fixture(scope="module")
def vfs() -> Iterator[MemoryVFS]:
    made = MemoryVFS("told")
    yield made
    made.unregister()


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Files:
    place = tmp_path_factory.mktemp("state")
    place.chmod(0o700)
    return new_ledger(place)


@pytest.fixture(scope="module")
def history(vfs: MemoryVFS, before: Files) -> History:
    return tell(vfs, before, Options())


def sound(done: Sweep) -> None:
    assert done.wrong == {}, f"seed {SEED}"


@LONG
@pytest.mark.rule("RCV-04", "OCC-15", "OCC-16")
def test_nothing_acknowledged_is_lost_and_every_law_holds(history: History) -> None:
    done = sweep(history, ONE or cuts(history, IMAGES, SEED), SEED)
    sound(done)
    if not ONE:
        assert done.images == IMAGES
        assert done.said["what was acknowledged"] > done.images // 3
        assert done.said["what was acknowledged, and what was under way"] > done.images // 200, "else it looks away"


@LONG
@pytest.mark.rule("RCV-04", "OCC-08")
def test_whoever_comes_next_brings_it_to_the_same_end(history: History) -> None:
    done = sweep(history, ONE or cuts(history, IMAGES // 50, SEED), SEED, to_the_end)
    sound(done)


@LONG
@pytest.mark.rule("RCV-04")
def test_the_power_may_go_again_while_the_ledger_recovers(history: History) -> None:
    done = sweep(history, ONE or cuts(history, max(4, IMAGES // 400), SEED), SEED, twice)
    sound(done)
    assert done.images > 50 * (1 if ONE else max(4, IMAGES // 400)), "every operation of each recovery"


# what the harness has to see: what is wrong with the program, and what is then said
CONTROLS = {
    "commits that are not synced": (
        Options(synchronous="NORMAL", steps=16), {"WRONG: acknowledged commits are lost"}),
    "nothing is synced": (
        Options(synchronous="OFF", steps=16), {"WRONG: acknowledged commits are lost", "WRONG: law pages_whole"}),
    "an admission in two commits": (
        Options(splits_admission=True, steps=16),
        {"WRONG: a state between two commits", "WRONG: law admitted_has_invocation"}),
    "acknowledged before the commit": (
        Options(acknowledges_early=True, steps=16), {"WRONG: acknowledged commits are lost"}),
    "a status and a witness that are not synced": (
        Options(syncs_files=False, steps=16),
        {"WRONG: a run ended and its status is not there", "WRONG: the witness: torn"}),
    "a witness that is written before the commit": (
        Options(witness_leads=True, steps=16), {"WRONG: the witness: ledger_older"}),
}  # fmt: skip


@pytest.mark.rule("RCV-04", "OCC-16")
@pytest.mark.parametrize("control", CONTROLS)
def test_a_program_with_a_fault_is_found_out(vfs: MemoryVFS, before: Files, control: str) -> None:
    options, said = CONTROLS[control]
    history = tell(vfs, before, options)
    found = sweep(history, cuts(history, 400, SEED), SEED)
    assert said <= found.wrong.keys()


def test_a_cut_is_written_as_it_is_read(history: History) -> None:
    for cut in cuts(history, 20, SEED):
        assert Cut.parse(str(cut)) == cut
    assert len(set(cuts(history, 3000, SEED))) == 3000, "no image is counted twice"


def test_each_model_of_damage_leaves_what_it_says() -> None:
    """A synced file, a write after it, a new file and a rename that are not synced."""
    disk = MemoryDisk({"old": b"a" * 2048})
    inode = disk.names["old"]
    disk.write(inode, 0, b"b" * 2048)
    disk.do("sync", inode)
    disk.write(inode, 512, b"c" * 1024)
    other = disk.create("new")
    disk.write(other, 0, b"d" * 512)
    disk.rename("new", "moved")
    model = Disk({"old": b"a" * 2048})
    for operation in disk.log:
        model.step(operation)
    found = {name: [model.image(name, Cut(1, name, turn).random(SEED)) for turn in range(300)] for name in MODELS}
    begin, end = b"b" * 512, b"b" * 512
    assert found["kept"][0] == {"old": begin + b"c" * 1024 + end, "moved": b"d" * 512}
    assert found["lost"][0] == {"old": b"b" * 2048}
    assert {tuple(image) for image in found["prefix"]} == {("old",), ("old", "new"), ("old", "moved")}
    assert {image["old"][512:1536] for image in found["prefix"]} == {b"b" * 1024, b"c" * 1024}
    torn = {image["old"] for image in found["torn"]}
    assert torn == {begin + one * 512 + two * 512 + end for one in (b"b", b"c") for two in (b"b", b"c")}
    assert {image["old"] for image in found["noise"]} - torn, "some sectors are neither old nor new"
    whole = [image["old"] for images in found.values() for image in images]
    assert all(content[:512] == begin and content[1536:] == end for content in whole), "what was synced stays"
