"""An interpreter session: one call after the other in one container, each with what those before it have left."""

import os
import signal
import time

import loop as events
from capture import FULL_READ, PAUSE_SECONDS, OutputStream
from frames import ProtocolError
from processes import end_everything
from session_call import Reported, SessionCall
from session_processes import end_call, live_processes

# How long an interpreter that cannot be brought back may take to leave a call that is to end.
INTERRUPT_SECONDS = 0.3
COPY_LEAVES_SECONDS = 0.2
_LOST = "the state of the session was lost after the call before: this call began with nothing"
_UNREADABLE = "the interpreter did not keep to its protocol and was killed"


class Session:
    """
    What lives from call to call: the interpreter, the pipes, the background work.

    `on_over()` is called when a call has ended, just before its END is sent.
    """

    def __init__(self, runtime, pipes, channel, loop, wakeup_fd, on_over):
        self.call = 0
        self._loop = loop
        self._wakeup_fd = wakeup_fd
        self._on_over = on_over
        self._running = None
        # The reason of a KILL for which the interpreter was interrupted.
        self._reason = None
        self._is_interrupted = self._is_lost = False
        self._noted = {}
        # No program has run yet: what was forked ahead for one that is alone, and may take a moment to leave.
        self._unused = live_processes()
        self._heard = ()
        # A call finds its stdin in a file: the next one must not read what one has left.
        os.close(pipes.stdin_write)
        self.interpreter = runtime.open_session(pipes, loop, self)

    def admit(self, spec):
        """The call that a RUN announces; raises ProtocolError."""
        facts = spec["session"]
        number = facts.get("call") if isinstance(facts, dict) else None
        if type(number) is not int or number <= self.call:
            raise ProtocolError("RUN has no larger number of a call")
        call = SessionCall(spec, self.call == 0, number, self)
        self.call = number
        kept = facts.get("keep")
        if type(kept) is int and kept >= 0:
            self.interpreter.keep_states(kept)
        self.interpreter.prepare()
        return call

    def begin(self, call):
        """Starts a call and returns the process that runs it; raises StageError."""
        self._noted = live_processes()
        pid = self.interpreter.start(call)
        self._noted.pop(pid, None)
        self._running = call
        if self._is_lost:
            self._is_lost = False
            call.warnings.append(_LOST)
        return pid

    # What the programs write

    def listen(self, *streams):
        """From now on stdout, stderr and notes are taken by these, with what others have kept for them."""
        for stream in streams:
            earlier = next((heard for heard in self._heard if heard.fd == stream.fd), None)
            if isinstance(stream, OutputStream) and earlier is not None and not earlier.is_live:
                stream.begin_with(earlier)
            self._watch(stream)
        self._heard = streams

    def _watch(self, stream):
        self._loop.watch(stream.fd, events.READ, lambda: self._on_readable(stream))

    def _on_readable(self, stream):
        if stream.read() < FULL_READ:
            self._loop.unwatch(stream.fd)
            self._loop.call_later(PAUSE_SECONDS, lambda: self._resume(stream))

    def _resume(self, stream):
        if stream in self._heard:
            self._watch(stream)

    # How a call ends

    def over(self, exit_code, report):
        """The interpreter says that the call has ended."""
        if self._is_interrupted:
            # It stopped because it was told to; the call was killed, its state is what it had come to.
            self._end_processes({self.interpreter.pid})
            self._finish(signal.SIGKILL, Reported())
        else:
            self._finish(exit_code << 8, Reported(report))

    def broken(self):
        """The interpreter says what nobody understands."""
        if self._running is None:
            self.interpreter.kill()
            return
        self._running.warnings.append(_UNREADABLE)
        self._kill(self._running)

    def on_ended(self, ended):
        """Processes have ended; the interpreter may be one of them."""
        status = self.interpreter.on_ended(ended)
        if status is None:
            return
        if self._running is None:
            if self.interpreter.go_on():
                self.lose()
            return
        # Its last words may be that the call is over.
        self.interpreter.pump()
        if self._running is None:
            return
        if self.interpreter.has_crashed(status):
            self._end_processes()
        self._finish(signal.SIGKILL if self._is_interrupted else status, None)

    def end(self, reason):
        """Ends the call that runs, now or soon; `reason` is that of a KILL, or None where memory ran out."""
        self.interpreter.pump()
        call = self._running
        if call is None:
            return
        self._reason = reason
        self.interpreter.await_copy()
        if self._running is not call:
            return
        if reason is None or not self.interpreter.can_interrupt:
            self._kill(call)
        elif not self._is_interrupted:
            self._is_interrupted = True
            self.interpreter.interrupt()
            self._loop.call_later(INTERRUPT_SECONDS, lambda: self._kill(call))

    def _kill(self, call):
        if self._running is not call:
            return
        status = self._end_processes()
        # Everything else that it may have done by now counts less than that it was killed.
        self._finish(signal.SIGKILL if status is None or self._reason is not None else status, None)

    def _end_processes(self, spared=frozenset()):
        helpers, pid = {*self.interpreter.helpers(), *spared}, self.interpreter.pid
        try:
            ended = end_call(self._noted, helpers, None if pid in helpers else pid, self._wakeup_fd)
        except TimeoutError:
            ended = end_everything(self._wakeup_fd)
        return self.interpreter.on_ended(ended)

    def _finish(self, status, reported):
        call, reason = self._running, self._reason
        self._running = self._reason = None
        self._is_interrupted = False
        if reported is not None:
            call.report_by(reported)
        self._on_over()
        call.finish(status, reason)
        self.interpreter.after_call()

    # Between calls

    def facts(self, call, status, conclusion):
        """What END says of the session."""
        state = self.interpreter.settle(call, status, conclusion)
        return {"state": state, "background": self._count_background()}

    def lose(self):
        """The state is gone: the next call is told."""
        self._is_lost = True

    def untouched(self):
        """What END says of the session where its call did not start."""
        return {"state": "restored", "background": self._count_background()}

    def _count_background(self):
        ours = {*self.interpreter.helpers(), self.interpreter.pid}
        return sum(pid not in ours and not self._is_unused(pid, process) for pid, process in live_processes().items())

    def _is_unused(self, pid, process):
        return pid in self._unused and self._unused[pid].start == process.start

    def _await_background(self):
        """As `_count_background`, when what leaves a copy behind is gone: it is no process of the user's."""
        self.interpreter.await_copy()
        deadline = time.monotonic() + COPY_LEAVES_SECONDS
        while (count := self._count_background()) and time.monotonic() < deadline:
            time.sleep(0.005)
        return count

    def next(self, rollback):
        """Makes ready for another call, after the state that an earlier one has left; returns what READY says of it."""
        if rollback is None:
            return {}
        background = self._await_background()
        # It belongs to a later state, and may write what it likes into an earlier one.
        return {"rolledBack": background == 0 and self.interpreter.rollback(rollback), "background": background}
