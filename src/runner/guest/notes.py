"""What a program says of itself while it runs: checkpoints and progress, a line of JSON each, in a pipe of their own."""

import os

from frames import ToHost
from pipes import bytes_waiting

# The program's end of the pipe: beside that of the report.
NOTES_FD = 101
READ_SIZE = 64 * 1024
# The kernel keeps lines of this size apart, however many processes of the program write them.
MAX_LINE = 4096
_KINDS = (b'{"checkpoint":', b'{"progress":')


class Notes:
    """Keeps the latest note of each kind; what they say is for the host to check."""

    def __init__(self, fd, channel):
        self.fd = fd
        self.closed = False
        self._channel = channel
        self._rest = b""
        self._latest = {}
        self._unsaid = set()
        os.set_blocking(fd, False)

    def read(self):
        """Takes what is there; returns how many bytes that was."""
        try:
            data = os.read(self.fd, READ_SIZE)
        except BlockingIOError:
            return 0
        if not data:
            self.closed = True
            return 0
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        for line in lines:
            self._take(line)
        return len(data)

    def _take(self, line):
        kind = next((kind for kind in _KINDS if line.startswith(kind)), None)
        if kind is not None and len(line) < MAX_LINE:
            self._latest[kind] = line
            self._unsaid.add(kind)

    def say(self):
        """Tells the host what is new."""
        for kind in self._unsaid:
            self._channel.send(ToHost.NOTE, self._latest[kind])
        self._unsaid.clear()

    def say_again(self):
        """Tells another host what was said last."""
        self._unsaid.update(self._latest)
        self.say()

    def drain(self):
        """Takes all that is left; every writer is dead by then."""
        while self.read():
            pass

    def drain_present(self):
        """Takes what is there at this moment."""
        left = bytes_waiting(self.fd)
        while left > 0 and (count := self.read()):
            left -= count

    def close(self):
        """Gives the pipe back."""
        os.close(self.fd)
