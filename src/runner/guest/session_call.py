"""One call of a session, from its RUN frame to its END frame."""

import time

from capture import OutputStream
from cgroup import Usage
from execution import Execution
from frames import ToHost
from notes import Notes


class Reported:
    """What an interpreter that goes on has reported of a call."""

    truncated = False

    def __init__(self, data=b""):
        self.data = data


class SessionCall(Execution):
    """
    A program that begins with what the calls before it have left.

    Its streams are pipes of the session: what came through them since the call before belongs to it, too.
    """

    replaces_files = True

    def __init__(self, spec, is_first, number, session):
        super().__init__(spec, is_first)
        self.number = number
        self._session = session
        self._report = Reported()

    def start(self, _runtime, pipes, channel, loop):
        """As of a run; raises StageError where an input cannot be given to the program."""
        self._usage = Usage(self._is_first)
        self._channel, self.loop = channel, loop
        self._started = time.monotonic()
        self._runtime = self._session.interpreter
        self.pid = self._session.begin(self)
        channel.send_json(ToHost.STARTED, {})
        limit = self.spec["maxOutputBytes"]
        self.stdout = OutputStream(pipes.stdout_read, 1, limit, channel)
        self.stderr = OutputStream(pipes.stderr_read, 2, limit, channel)
        self._notes = Notes(pipes.notes_read, channel)
        self._session.listen(self.stdout, self.stderr, self._notes)

    def preview(self):
        """As of a run."""
        super().preview()
        self._runtime.on_tick()

    def report_by(self, reported):
        """What has the program's report: the default is none."""
        self._report = reported

    def _settle(self):
        # The interpreter has said that it is done, or is dead: what it wrote is in the pipes.
        for stream in (self.stdout, self.stderr, self._notes):
            stream.drain_present()
        limit = self.spec["maxOutputBytes"]
        between = [OutputStream(stream.fd, number, limit, self._channel, False) for stream, number in self._outputs()]
        self._session.listen(*between, self._notes)

    def _outputs(self):
        return (self.stdout, 1), (self.stderr, 2)

    def _session_facts(self, status, conclusion):
        return self._session.facts(self, status, conclusion)
