"""JavaScript and TypeScript in the guest: a Node process that is up before the program arrives."""

import json
import os
import select
import struct
import time

from cgroup import memory_limit
from execution import Conclusion, RuntimeLost
from late_import import import_guest
from pipes import JobFeed
from places import GUEST_DIR, PROGRAM_ENVIRONMENT
from processes import end_process, make_pipe, spawn

NODE = "/usr/local/bin/node"
MAIN = f"{GUEST_DIR}/javascript/main.mjs"
SESSION = f"{GUEST_DIR}/javascript/session.mjs"
# Where the Node process finds its job, and where it writes its readiness and later its report.
CONTROL_FD = 3
REPORT_FD = 4
NOTES_FD = 5
# The host, which knows how slow its machine is, gives up earlier and takes the container away.
BOOT_SECONDS = 900
_NO_REPORT = "the program has no result: its process ended, or closed its descriptors, before it could be read"
READY_LINE = b'{"ready":true}\n'

_FLAGS = ("--disable-sigusr1", "--experimental-transform-types", "--disable-warning=ExperimentalWarning")
_MB = 1 << 20


def _heap_flag():
    # The container's limit decides, not V8: twice the limit is out of reach.
    limit = memory_limit()
    return [] if limit is None else [f"--max-old-space-size={max(64, 2 * limit // _MB)}"]


def _part(data):
    return struct.pack(">I", len(data)) + data


class JavaScriptRuntime:
    """One Node process, booted and waiting on its control pipe."""

    languages = ("javascript", "typescript")

    def __init__(self, _startup_modules, _hurry):
        self._pid = None
        self._running = False
        self._feed = None

    def boot(self, _preload, pipes):
        """Starts Node and waits until it says that it is up; raises RuntimeError where it does not."""
        control_read, self._control_write = make_pipe()
        descriptors = {**pipes.program_side(REPORT_FD, NOTES_FD), CONTROL_FD: control_read}
        self._pid = spawn(self._argv(MAIN), PROGRAM_ENVIRONMENT, descriptors)
        os.close(control_read)
        self._wait_until_ready(pipes.report_read)
        return []

    @staticmethod
    def _argv(script):
        return [NODE, *_FLAGS, *_heap_flag(), script]

    def open_session(self, pipes, loop, session):
        """Another process, which stays from call to call; the one that waits for a program is not needed."""
        end_process(self._pid)
        os.close(self._control_write)
        numbers = (CONTROL_FD, REPORT_FD, NOTES_FD)
        make_session = import_guest("javascript_session").JavaScriptSession
        return make_session(self._argv(SESSION), self._wait_until_ready, numbers, pipes, loop, session)

    def renew(self, pipes):
        """Another process: what has run a program cannot be what it was."""
        self._running = False
        self.boot([], pipes)

    @staticmethod
    def _wait_until_ready(fd):
        deadline = time.monotonic() + BOOT_SECONDS
        line = b""
        # Byte by byte: what follows the line belongs to the report.
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([fd], [], [], max(0.0, deadline - time.monotonic()))
            byte = os.read(fd, 1) if ready else b""
            if not byte or len(line) > len(READY_LINE):
                raise RuntimeError("node did not come up")
            line += byte
        if line != READY_LINE:
            raise RuntimeError("node came up wrongly")

    def start(self, execution, _pipes):
        """Hands the program to the waiting process and returns its process id."""
        names = ("language", "fileVariables", "jsonDepth", "maxResultBytes")
        values = {name: execution.spec[name] for name in names}
        spec = json.dumps({**values, "checkpoint": execution.last_checkpoint}).encode()
        job = _part(spec) + _part(execution.code) + _part(execution.inputs or b"{}")
        self._running = True
        self._feed = JobFeed(self._control_write, job, execution.loop)
        return self._pid

    def on_ended(self, ended):
        """Raises RuntimeLost where Node ended before it had a program."""
        if self._pid in ended and not self._running:
            raise RuntimeLost("node ended before a program came")

    def conclude(self, execution, status):
        """The program's process reported for itself, unless the program took the pipe for it away."""
        self._feed.close()
        left = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 and not execution.has_report
        return Conclusion(warnings=[_NO_REPORT] if left else [])
