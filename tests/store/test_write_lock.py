import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.store.lock import Cancelled, WriteLock

from .making import store_below

HOLDER = """
import sys
from pathlib import Path
from memplugin.store.lock import WriteLock
with WriteLock(Path(sys.argv[1])).acquire(10):
    print("held", flush=True)
    sys.stdin.read()
"""

WRITER = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from store.making import RECORD, store_below
from memplugin.recall.slugs import numbered
from memplugin.store.lock import WriteLock
store = store_below(Path(sys.argv[2]))
lock = WriteLock(store.places.state / "lock")
sys.stdin.read()
for number in range(int(sys.argv[4])):
    with lock.acquire(60):
        taken, record = 1, RECORD.replaced(content=(f"{sys.argv[3]} {number}",), links=())
        while store.folder.create(record) is None:
            taken += 1
            record = record.replaced(id=numbered("mail-relay", taken))
    print(json.dumps([record.id, record.content[0]]), flush=True)
"""


def test_the_lock_is_free_again_after_use_and_its_file_stays(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "state" / "lock")
    for _ in range(2):
        with lock.acquire(0):
            inode = lock.path.stat().st_ino
    assert lock.path.stat().st_ino == inode
    assert lock.path.stat().st_mode & 0o777 == 0o600


def test_a_held_lock_is_source_unavailable_when_the_time_is_over(tmp_path: Path) -> None:
    """Field case 4."""
    lock = WriteLock(tmp_path / "lock")
    other = WriteLock(lock.path)
    with lock.acquire(0), pytest.raises(ProviderError) as caught, other.acquire(0):
        pass
    assert caught.value.category is ErrorCategory.SOURCE_UNAVAILABLE
    assert caught.value.retryable
    assert str(tmp_path / "lock") in caught.value.message
    assert "lock_timeout_s" in caught.value.message


def test_a_cancelled_wait_ends(tmp_path: Path) -> None:
    """W7."""
    lock = WriteLock(tmp_path / "lock")
    other = WriteLock(lock.path)
    with lock.acquire(0), pytest.raises(Cancelled), other.acquire(60, lambda: True):
        pass


def test_an_error_while_holding_frees_the_lock(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "lock")
    with pytest.raises(ZeroDivisionError), lock.acquire(0):
        raise ZeroDivisionError
    with lock.acquire(0):
        pass


def test_threads_exclude_one_another(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "lock")
    seen: list[int] = []
    holding: list[int] = []

    def work(number: int) -> None:
        for _ in range(10):
            with lock.acquire(60):
                holding.append(number)
                seen.append(len(holding))
                holding.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 40


def test_the_lock_ends_with_a_killed_process(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(ProviderError), lock.acquire(0):
            pass
        holder.kill()
        holder.wait()
        with lock.acquire(10):
            pass


def test_a_lock_file_that_was_deleted_is_not_held_by_two(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "lock")
    old = os.open(lock.path, os.O_CREAT | os.O_RDWR)
    lock.path.unlink()
    with lock.acquire(0):
        assert lock.path.stat().st_ino != os.fstat(old).st_ino
        assert not lock._still_there(old)
    os.close(old)


def test_a_state_that_cannot_be_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(NotADirectoryError), WriteLock(tmp_path / "state" / "lock").acquire(0):
        pass


def test_eight_processes_that_create_the_same_id_lose_nothing(tmp_path: Path) -> None:
    """D3, field cases 1 and 2: a taken id gets -2, -3, …, also at the same instant."""
    writers, each = 8, 5
    (tmp_path / "project").mkdir()
    tests = str(Path(__file__).parent.parent)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, tests, str(tmp_path), str(number), str(each)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(writers)
    ]
    acknowledged = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    for process in processes:
        assert process.stdout is not None
        acknowledged += [json.loads(line) for line in process.stdout]
        process.stdout.close()
        assert process.wait() == 0
    folder = store_below(tmp_path).folder
    found = {name: folder.read(name).document.record for name in folder.scan()}
    assert len(acknowledged) == len(found) == writers * each
    assert sorted(acknowledged) == sorted([r.id, r.content[0]] for r in found.values())
    assert all(record.verified for record in found.values())
    assert folder.sweep() == 0


def test_a_thread_may_hold_it_again_and_lets_go_once(tmp_path: Path) -> None:
    """W4: what looks and writes in one go holds it throughout."""
    lock, other = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    with lock.acquire(0):
        with lock.acquire(0):
            pass
        with pytest.raises(ProviderError), other.acquire(0):
            pass
    with other.acquire(0):
        pass
