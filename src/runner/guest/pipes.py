"""The pipes between the guest and the one program it runs."""

import fcntl
import os
import struct

import loop as events
from processes import make_pipe

# The program's end of the report pipe: above what a program opens, below the guest's own descriptors.
REPORT_FD = 100
# Room for everything the report holds beside the result.
REPORT_HEADER_ROOM = 512 * 1024
READ_SIZE = 256 * 1024
_FIONREAD = 0x541B


def bytes_waiting(fd):
    """How many bytes a pipe holds now."""
    return struct.unpack("i", fcntl.ioctl(fd, _FIONREAD, b"\0" * 4))[0]


class ProgramPipes:
    """stdin, stdout, stderr and report; made before the program is there, because a warm runtime holds them early."""

    def __init__(self):
        self.stdin_read, self.stdin_write = make_pipe()
        self.stdout_read, self.stdout_write = make_pipe()
        self.stderr_read, self.stderr_write = make_pipe()
        self.report_read, self.report_write = make_pipe()
        self.notes_read, self.notes_write = make_pipe()

    def program_side(self, report_fd, notes_fd):
        """Descriptors as the program finds them."""
        streams = {0: self.stdin_read, 1: self.stdout_write, 2: self.stderr_write}
        return {**streams, report_fd: self.report_write, notes_fd: self.notes_write}

    def close_program_side(self):
        """Gives up the guest's copies of what the program holds, so that its end is seen."""
        for fd in (self.stdin_read, self.stdout_write, self.stderr_write, self.report_write, self.notes_write):
            os.close(fd)


class StdinFeed:
    """Writes stdin as the program takes it; the program reads an end of file after it."""

    def __init__(self, fd, data):
        self.fd = fd
        self.done = False
        self._left = memoryview(data)
        os.set_blocking(fd, False)

    def write(self):
        """Writes what the pipe takes now; closes it when all is written or nobody reads any more."""
        try:
            while self._left:
                self._left = self._left[os.write(self.fd, self._left) :]
        except BlockingIOError:
            return
        except OSError:
            self._left = memoryview(b"")
        self.close()

    def close(self):
        """Ends stdin; idempotent."""
        if not self.done:
            self.done = True
            os.close(self.fd)


class JobFeed:
    """Hands a waiting process what it is to do, while the guest goes on."""

    def __init__(self, fd, data, loop):
        self._feed = StdinFeed(fd, data)
        self._loop = loop
        loop.watch(fd, events.WRITE, self._write)

    def _write(self):
        self._feed.write()
        if self._feed.done:
            self._loop.unwatch(self._feed.fd)

    def close(self):
        """Gives up what has not been taken; idempotent."""
        if not self._feed.done:
            self._loop.unwatch(self._feed.fd)
            self._feed.close()


class ReportPipe:
    """What the runtime reports, up to a bound; what exceeds it is read and dropped."""

    def __init__(self, fd, max_result_bytes):
        self.fd = fd
        self.data = bytearray()
        self.truncated = False
        self.closed = False
        self._limit = max_result_bytes + REPORT_HEADER_ROOM
        os.set_blocking(fd, False)

    def read(self):
        """Takes what is there; returns how many bytes that was."""
        try:
            data = os.read(self.fd, READ_SIZE)
        except BlockingIOError:
            return 0
        if not data:
            self.closed = True
        room = self._limit - len(self.data)
        self.truncated = self.truncated or len(data) > room
        self.data += data[:room]
        return len(data)

    def drain(self):
        """Takes all that is left; every writer is dead by then."""
        while self.read():
            pass

    def drain_present(self):
        """Takes what is there at this moment: writers may go on, and are not waited for."""
        left = bytes_waiting(self.fd)
        while left > 0 and (count := self.read()):
            left -= count

    def close(self):
        """Gives the pipe back."""
        os.close(self.fd)
