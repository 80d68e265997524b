"""JavaScript and TypeScript in a session: one Node process; there is no copy of it, so its death costs the state."""

from holder_session import HolderSession
from places import PROGRAM_ENVIRONMENT
from processes import spawn
from staging import StageError


class JavaScriptSession(HolderSession):
    """`argv` starts Node; `wait_until_ready(fd)` waits until it says so; `numbers` are its descriptors for jobs, report and notes."""

    def __init__(self, argv, wait_until_ready, numbers, pipes, loop, session):
        super().__init__(pipes, loop, session)
        self._argv = argv
        self._wait_until_ready = wait_until_ready
        self._control_fd, self._report_fd, self._notes_fd = numbers
        self._is_ready = False

    def _spawn(self):
        program_side = self._pipes.program_side(self._report_fd, self._notes_fd)
        self._is_ready = False
        # Its first words are no frame.
        self._link.rest()
        self.pid = spawn(self._argv, PROGRAM_ENVIRONMENT, {**program_side, self._control_fd: self._link.control_read})

    def start(self, call):
        """As for every language, once Node is up."""
        self.prepare()
        if self.pid is not None and not self._is_ready:
            try:
                self._wait_until_ready(self._pipes.report_read)
            except RuntimeError as error:
                self.kill()
                raise StageError("/tmp", "EAGAIN", str(error)) from None
            self._is_ready = True
            self._link.listen()
        return super().start(call)

    def pump(self):
        """Takes what it has said, once it is up."""
        if self._is_ready:
            super().pump()

    def conclude(self, call, status):
        """As for every language, but in words that fit."""
        conclusion = super().conclude(call, status)
        conclusion.warnings = ["the program has no result: its process ended"] if conclusion.warnings else []
        return conclusion
