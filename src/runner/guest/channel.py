"""The stream to the host: never blocks, whatever the host does."""

import fcntl
import os
import select
import time
from collections import deque
from itertools import islice

from frames import HEADER, encode_header, encode_json

READ_SIZE = 256 * 1024
# Headers and payloads that leave in one call.
PARTS_A_WRITE = 16
# Descriptors of the guest live above those a program gets, so that they cannot collide in a fork.
HIGH_FD = 200


def _take_over(fd, replacement):
    """Moves a standard descriptor out of the way of programs; what it was becomes `replacement`."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD)
    os.set_blocking(moved, False)
    os.dup2(replacement, fd)
    return moved


class HostChannel:
    """Frames in and out over the descriptors that were stdin and stdout; afterwards both are /dev/null."""

    def __init__(self):
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self.in_fd = _take_over(0, null)
        self.out_fd = _take_over(1, null)
        os.close(null)
        self._read_into = memoryview(bytearray(READ_SIZE))
        self._queue = deque()
        self.pending_bytes = 0
        self.broken = False

    def read(self):
        """Bytes that are there now, valid until the next read; empty at the end of the stream, None where there are none yet."""
        try:
            return self._read_into[: os.readv(self.in_fd, [self._read_into])]
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def send(self, kind, payload=b"", stream_id=0):
        """Queues one frame and writes what the host takes at once."""
        if self.broken:
            return
        self._queue.append(memoryview(encode_header(kind, stream_id, len(payload))))
        if payload:
            self._queue.append(memoryview(payload))
        self.pending_bytes += HEADER.size + len(payload)
        self.flush()

    def send_json(self, kind, value, stream_id=0):
        """Queues one frame with a JSON payload."""
        self.send(kind, encode_json(value), stream_id)

    def flush(self):
        """Writes queued bytes until the host takes no more."""
        while self._queue:
            try:
                written = os.writev(self.out_fd, [*islice(self._queue, PARTS_A_WRITE)])
            except BlockingIOError:
                return
            except OSError:
                self._break()
                return
            self._take_off(written)

    def _take_off(self, written):
        self.pending_bytes -= written
        while written > 0:
            head = self._queue.popleft()
            if len(head) > written:
                self._queue.appendleft(head[written:])
            written -= len(head)

    def forget(self):
        """Drops what is queued, the rest of a frame included: it was for a host that is not there any more."""
        self._queue.clear()
        self.pending_bytes = 0
        self.broken = False

    def drain(self, seconds):
        """Writes what is queued, for at most `seconds`: the farewell before the guest exits."""
        deadline = time.monotonic() + seconds
        poller = select.poll()
        poller.register(self.out_fd, select.POLLOUT)
        while self.pending_bytes:
            left = deadline - time.monotonic()
            if left <= 0 or not poller.poll(left * 1000):
                return
            self.flush()

    def _break(self):
        # Nobody reads any more: the end of stdin, or the lease, will end the guest.
        self.broken = True
        self._queue.clear()
        self.pending_bytes = 0
