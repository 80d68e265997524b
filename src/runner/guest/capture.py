"""Output of a program: its beginning goes to the host as it comes, of the rest the end is kept."""

import os

from frames import CHUNK, ToHost
from pipes import bytes_waiting

READ_SIZE = 256 * 1024
# A read that brought less than this is followed by a short pause: a program that prints line by line would otherwise
# wake the guest for each of them and spend the sandbox's CPU time on that.
FULL_READ = 32 * 1024
PAUSE_SECONDS = 0.004
PREVIEW_BYTES = 2048
PREVIEW_SECONDS = 0.5
PREVIEW_BACKLOG = 64 * 1024


class OutputStream:
    """
    One of the program's pipes; holds at most the head on its way to the host and twice `limit` bytes of tail.

    One that is not live says nothing: it keeps what comes between two calls of a session.
    """

    def __init__(self, fd, stream_id, limit, channel, is_live=True):
        self.fd = fd
        self.total = 0
        self.closed = False
        self._id = stream_id
        self.is_live = is_live
        self._limit = limit
        self._head_left = limit
        self._tail = bytearray()
        self._tail_total = 0
        self._channel = channel
        self._preview_due = 0.0
        self._preview_stale = False
        self.head = bytearray()
        os.set_blocking(fd, False)

    def read(self):
        """Takes what is there; returns how many bytes that was, 0 where there is nothing or the end was reached."""
        try:
            data = os.read(self.fd, READ_SIZE)
        except BlockingIOError:
            return 0
        if data:
            self._take(data)
        else:
            self.closed = True
        return len(data)

    def drain(self):
        """Takes all that is left; every writer is dead by then, so this ends."""
        while self.read():
            pass

    def drain_present(self):
        """Takes what is there at this moment: writers may go on, and are not waited for."""
        left = bytes_waiting(self.fd)
        while left > 0 and (count := self.read()):
            left -= count

    def begin_with(self, earlier):
        """Takes in what another stream of the same pipe has kept, as if it came now."""
        head, tail, dropped = bytes(earlier.head), earlier.tail(), earlier.omitted()
        for start in range(0, len(head), CHUNK):
            self._take(head[start : start + CHUNK])
        if dropped:
            # What comes after a gap belongs to the end, however much room the beginning has.
            self._head_left = 0
        self._take(tail)
        self.total += dropped
        self._tail_total += dropped

    def close(self):
        """Gives the pipe back."""
        os.close(self.fd)

    def _take(self, data):
        self.total += len(data)
        head = data[: self._head_left]
        if head:
            self._head_left -= len(head)
            self.head += head
            if self.is_live:
                self._channel.send(ToHost.OUTPUT, head, self._id)
        rest = data[len(head) :]
        if rest:
            self._tail += rest
            self._tail_total += len(rest)
            if len(self._tail) > 2 * self._limit:
                del self._tail[: -self._limit]
            self._preview_stale = True

    def preview(self, now):
        """Sends the current end of a long stream, unless one was just sent or the host is slow."""
        if not self._preview_stale or now < self._preview_due or self._channel.pending_bytes > PREVIEW_BACKLOG:
            return
        self._preview_stale = False
        self._preview_due = now + PREVIEW_SECONDS
        self._channel.send(ToHost.PREVIEW, bytes(self._tail[-PREVIEW_BYTES:]), self._id)

    def send_head(self):
        """Sends the beginning again, as far as it is known."""
        for start in range(0, len(self.head), CHUNK):
            self._channel.send(ToHost.OUTPUT, bytes(self.head[start : start + CHUNK]), self._id)

    def tail(self):
        """The last bytes after the beginning, at most as many as the beginning may have."""
        return bytes(self._tail[-self._limit :])

    def omitted(self):
        """Bytes between beginning and tail that were dropped."""
        return self._tail_total - len(self.tail())

    def send_tail(self):
        """Sends the tail; after the program's end."""
        tail = self.tail()
        for start in range(0, len(tail), CHUNK):
            self._channel.send(ToHost.TAIL, tail[start : start + CHUNK], self._id)
