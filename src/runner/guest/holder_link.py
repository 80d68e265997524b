"""The pipes between the guest and an interpreter that stays: jobs in, what it says of them out."""

import os
import select
import struct
import time

import loop as events
from pipes import READ_SIZE, REPORT_HEADER_ROOM, bytes_waiting
from processes import make_pipe

# Where a Python interpreter finds its jobs.
CONTROL_FD = 103
COPY, REPORT = b"C"[0], b"R"[0]
_HEADER = struct.Struct(">BI")
_NUMBER = struct.Struct(">I")
_EXIT_CODE = struct.Struct(">i")


def part(data):
    """Bytes with their length in front."""
    return _NUMBER.pack(len(data)) + data


class HolderLink:
    """
    Frames from the holder are hostile: a kind, a length within its bound, or all of it is garbage.

    `on_copy(pid)`, `on_report(exit_code, report)` and `on_garbage()` are called with what comes. The guest keeps both ends of
    both pipes, so that another process can go on with them.
    """

    def __init__(self, pipes, loop, on_copy, on_report, on_garbage):
        self.control_read, self._control_write = make_pipe()
        self._report_fd = pipes.report_read
        self._loop = loop
        self._on_copy, self._on_report, self._on_garbage = on_copy, on_report, on_garbage
        self._held = bytearray()
        self._unsent = bytearray()
        self._report_limit = 0
        self.is_garbled = False
        os.set_blocking(self._control_write, False)
        os.set_blocking(self._report_fd, False)

    def listen(self):
        """From now on takes what comes."""
        self._loop.watch(self._report_fd, events.READ, self.pump)

    def rest(self):
        """Takes nothing until `listen`."""
        self._loop.unwatch(self._report_fd)

    def send(self, message, max_result_bytes=0):
        """Hands the holder a message as it takes it; a call's report may be as large as its result and the report's header."""
        self._report_limit = _EXIT_CODE.size + REPORT_HEADER_ROOM + max_result_bytes
        self._unsent += part(message)
        self._write()

    def _write(self):
        try:
            while self._unsent:
                del self._unsent[: os.write(self._control_write, self._unsent[:READ_SIZE])]
        except BlockingIOError:
            self._loop.watch(self._control_write, events.WRITE, self._write)
            return
        self._loop.unwatch(self._control_write)

    def pump(self):
        """Takes all that is there."""
        while not self.is_garbled and self._read():
            while not self.is_garbled and self._take():
                pass

    def wait(self, seconds):
        """Waits for something to come, and takes it."""
        select.select([self._report_fd], [], [], seconds)
        self.pump()

    def _read(self):
        try:
            data = os.read(self._report_fd, READ_SIZE)
        except BlockingIOError:
            return False
        self._held += data
        return bool(data)

    def _take(self):
        """Whether a whole frame was there."""
        if len(self._held) < _HEADER.size:
            return False
        kind, length = _HEADER.unpack_from(self._held)
        is_copy, is_report = kind == COPY and length == _NUMBER.size, kind == REPORT and length >= _EXIT_CODE.size
        if not is_copy and not (is_report and length <= self._report_limit):
            self.garbled()
            return False
        end = _HEADER.size + length
        if len(self._held) < end:
            return False
        payload = bytes(self._held[_HEADER.size : end])
        del self._held[:end]
        if is_copy:
            self._on_copy(*_NUMBER.unpack(payload))
        else:
            self._on_report(_EXIT_CODE.unpack_from(payload)[0] & 0xFF, payload[_EXIT_CODE.size :])
        return True

    def garbled(self):
        """Gives up what the holder says, until another one takes its place."""
        self.is_garbled = True
        self.rest()
        self._on_garbage()

    def clear(self):
        """Forgets what a dead holder has not taken and what it has not said to the end."""
        self._unsent.clear()
        self._held.clear()
        self._loop.unwatch(self._control_write)
        for fd in (self.control_read, self._report_fd):
            left = bytes_waiting(fd)
            while left > 0:
                left -= len(self._take_away(fd, left))
        self.is_garbled = False
        self.listen()

    @staticmethod
    def _take_away(fd, most):
        # The holder's end may block: not more than what is there.
        if not select.select([fd], [], [], 0)[0]:
            return bytes(most)
        return os.read(fd, min(most, READ_SIZE)) or bytes(most)


def wait_until(link, is_done, seconds):
    """Takes what comes until `is_done()`, for at most so long."""
    deadline = time.monotonic() + seconds
    while not is_done() and not link.is_garbled and (left := deadline - time.monotonic()) > 0:
        link.wait(left)
