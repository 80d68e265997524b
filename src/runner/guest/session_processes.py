"""Which processes run in the container, and how those end that one call of a session began."""

import os
import select
import signal
import time
from collections import namedtuple

from processes import drain_wakeup, reap

GUEST = "1"
Process = namedtuple("Process", "start parent is_stopped")


def live_processes():
    """Every process but the guest, by its id; what has ended and waits to be collected is left out."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and name != GUEST:
            process = read_process(int(name))
            if process is not None:
                found[int(name)] = process
    return found


def read_process(pid):
    """One process; None where it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            line = file.read(1024)
    except OSError:
        return None
    # The name, in brackets, may hold anything.
    fields = line[line.rfind(b")") + 2 :].split()
    has_ended = len(fields) < 20 or fields[0] == b"X"
    # Its first thread may have ended while others run.
    if has_ended or (fields[0] == b"Z" and int(fields[17]) <= 1):
        return None
    return Process(int(fields[19]), int(fields[1]), fields[0] in (b"T", b"t"))


def end_call(noted, helpers, awaited, wakeup_fd, seconds=10.0):
    """
    Kills every process but the guest, its `helpers`, those that were `noted` when the call began, and their children.

    Returns the statuses of what was collected, that of `awaited`, a child or None, among them; raises TimeoutError where a process will not die. All are stopped first: so
    none of them can start another one meanwhile.
    """
    _signal(-1, signal.SIGSTOP)
    deadline = time.monotonic() + seconds
    statuses = {}
    while True:
        live = live_processes()
        doomed = [pid for pid in live if not _is_spared(pid, live, noted, helpers)]
        if not doomed and (awaited is None or awaited in statuses):
            break
        if time.monotonic() > deadline:
            raise TimeoutError("a process could not be killed")
        for pid in doomed:
            _signal(pid, signal.SIGKILL)
        # A child's end writes to the wake-up descriptor; the time-out covers signals that were merged.
        select.select([wakeup_fd], [], [], 0.005)
        drain_wakeup(wakeup_fd)
        statuses.update(reap()[0])
    statuses.update(reap()[0])
    for pid in live:
        # What stood still before the call does so after it.
        if pid not in noted or not noted[pid].is_stopped:
            _signal(pid, signal.SIGCONT)
    return statuses


def _is_spared(pid, live, noted, helpers):
    # What a program of an earlier call starts meanwhile is not of this call either.
    while pid in live:
        if pid in helpers or (pid in noted and noted[pid].start == live[pid].start):
            return True
        pid = live[pid].parent
    return False


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
