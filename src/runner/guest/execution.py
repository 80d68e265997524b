"""One run: what was sent for it, its process, its output and how it ended."""

import os
import time

import loop as events
from capture import FULL_READ, PAUSE_SECONDS, OutputStream
from cgroup import Usage
from collect import Listing
from frames import CHUNK, ProtocolError, ToHost
from notes import Notes
from pipes import ReportPipe, StdinFeed
from places import MAX_FIGURES
from staging import Staging

_SPEC_FIELDS = {"executionId": str, "language": str, "hasStdin": bool, "fileVariables": dict, "maxOutputBytes": int}
_SPEC_FIELDS |= {"maxResultBytes": int, "jsonDepth": int, "figures": bool}


class Conclusion:
    """What a runtime adds after its program's end."""

    def __init__(self, report=None, syntax_error=False, warnings=()):
        self.report = report
        self.syntax_error = syntax_error
        self.warnings = list(warnings)


class RuntimeLost(Exception):
    """The process that was to run the program ended before it had one."""


class Execution:
    """One program of this container, from its RUN frame to its END frame."""

    replaces_files = False

    def __init__(self, spec, is_first):
        for name, kind in _SPEC_FIELDS.items():
            if not isinstance(spec.get(name), kind):
                raise ProtocolError(f"RUN has no valid {name}")
        self.spec = spec
        self._is_first = is_first
        self.code = bytearray()
        self.inputs = bytearray()
        self.stdin = bytearray()
        self.staging = Staging(self.replaces_files)
        self.warnings = []
        self.stdout = self.stderr = None
        self.pid = None
        self._status = None
        self._last_words = None

    def start(self, runtime, pipes, channel, loop):
        """Starts the program; in a fork that is to become it, raises the runtime's ForkedProgram."""
        self._usage = Usage(self._is_first)
        self._runtime, self._channel, self.loop = runtime, channel, loop
        self._started = time.monotonic()
        self.pid = runtime.start(self, pipes)
        pipes.close_program_side()
        channel.send_json(ToHost.STARTED, {})
        limit = self.spec["maxOutputBytes"]
        self.stdout = OutputStream(pipes.stdout_read, 1, limit, channel)
        self.stderr = OutputStream(pipes.stderr_read, 2, limit, channel)
        self._report = ReportPipe(pipes.report_read, self.spec["maxResultBytes"])
        self._notes = Notes(pipes.notes_read, channel)
        self._feed = StdinFeed(pipes.stdin_write, self.stdin)
        self._watch()

    def _watch(self):
        for stream in (self.stdout, self.stderr, self._report, self._notes):
            self.loop.watch(stream.fd, events.READ, lambda stream=stream: self._on_readable(stream))
        self._feed_stdin()

    def _on_readable(self, stream):
        count = stream.read()
        if stream.closed:
            self.loop.unwatch(stream.fd)
        elif count < FULL_READ:
            self.loop.unwatch(stream.fd)
            self.loop.call_later(PAUSE_SECONDS, lambda: self._resume(stream))

    def _resume(self, stream):
        if self._status is None and not stream.closed:
            self.loop.watch(stream.fd, events.READ, lambda: self._on_readable(stream))

    def _feed_stdin(self):
        self._feed.write()
        if self._feed.done:
            self.loop.unwatch(self._feed.fd)
        elif self._status is None:
            self.loop.watch(self._feed.fd, events.WRITE, self._feed_stdin)

    @property
    def last_checkpoint(self):
        """JSON text of what an earlier run of this program has kept, or None."""
        text = self.spec.get("checkpoint")
        return text if isinstance(text, str) else None

    @property
    def reported(self):
        """The pipe with what the program's side reported; complete after its end."""
        return self._report

    def preview(self):
        """Sends the current end of streams that are longer than their beginning, and what the program notes."""
        self._notes.say()
        now = time.monotonic()
        self.stdout.preview(now)
        self.stderr.preview(now)

    def oom_kills(self):
        """Processes the kernel killed for memory since the start."""
        return self._usage.oom_kills()

    @property
    def has_report(self):
        """Whether the program's runtime said anything; final once the program has ended."""
        return bool(self._report.data)

    def finish(self, status, kill_reason):
        """Collects what is left and sends TAIL, REPORT and END; every process must be dead."""
        wall_ms = (time.monotonic() - self._started) * 1000
        self._status = status
        self._settle()
        conclusion = self._runtime.conclude(self, status)
        session = self._session_facts(status, conclusion)
        report = self._report.data if conclusion.report is None else conclusion.report
        killed = os.WIFSIGNALED(status)
        end = {
            "exitCode": None if killed else os.WEXITSTATUS(status),
            "signal": os.WTERMSIG(status) if killed else None,
            "killReason": kill_reason,
            "oomKills": self.oom_kills(),
            "stdoutBytes": self.stdout.total,
            "stderrBytes": self.stderr.total,
            "peakMemoryBytes": self._usage.peak_memory_bytes(),
            "cpuMs": self._usage.cpu_ms(),
            "wallMs": round(wall_ms, 3),
            "reportBytes": len(report),
            "reportTruncated": conclusion.report is None and self._report.truncated,
            "syntaxError": conclusion.syntax_error,
            "figures": self._figures(),
            "warnings": self.warnings + conclusion.warnings,
            "session": session,
        }
        self._last_words = report, end
        self._say_last_words()

    def _session_facts(self, _status, _conclusion):
        return None

    def _say_last_words(self):
        report, end = self._last_words
        self._notes.say()
        self.stdout.send_tail()
        self.stderr.send_tail()
        for start in range(0, len(report), CHUNK):
            self._channel.send(ToHost.REPORT, bytes(report[start : start + CHUNK]))
        self._channel.send_json(ToHost.END, end)

    def elapsed_ms(self):
        """Since the program's start; None where it did not start."""
        return None if self.pid is None else round((time.monotonic() - self._started) * 1000, 3)

    def say_again(self):
        """Tells a host that has not heard it from STARTED to where the run is now."""
        self._channel.send_json(ToHost.STARTED, {})
        self.stdout.send_head()
        self.stderr.send_head()
        self._notes.say_again()
        if self._last_words is not None:
            self._say_last_words()

    def _settle(self):
        self.loop.unwatch(self._feed.fd)
        self._feed.close()
        for pipe in (self.stdout, self.stderr, self._report, self._notes):
            self.loop.unwatch(pipe.fd)
            pipe.drain()
            pipe.close()

    def _figures(self):
        if not self.spec["figures"]:
            return []
        names = {path for path, size in Listing("figures", 1000) if isinstance(size, int) and size}
        return [name for index in range(1, MAX_FIGURES + 1) if (name := f"figure-{index}.png") in names]


def end_without_program(kill_reason, session=None):
    """The END of a run whose program never started; `session` is what it says of the session, where it is a call of one."""
    nothing = dict.fromkeys(("exitCode", "signal", "peakMemoryBytes", "cpuMs"))
    zero = dict.fromkeys(("oomKills", "stdoutBytes", "stderrBytes", "wallMs", "reportBytes"), 0)
    rest = {"reportTruncated": False, "syntaxError": False, "figures": [], "warnings": []}
    return {**nothing, **zero, **rest, "killReason": kill_reason, "session": session}
