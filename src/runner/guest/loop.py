"""A single-threaded event loop: descriptors and timers, nothing else."""

import heapq
import itertools
import selectors
import time

READ = selectors.EVENT_READ
WRITE = selectors.EVENT_WRITE


class Loop:
    """Calls back when a descriptor is ready or a time has come."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self._timers = []
        self._order = itertools.count()

    def watch(self, fd, events, callback):
        """Calls `callback()` whenever the descriptor is ready; replaces an earlier watch of it."""
        self.unwatch(fd)
        self._selector.register(fd, events, callback)

    def unwatch(self, fd):
        """Forgets a descriptor; does nothing where it is not watched."""
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def call_later(self, seconds, callback):
        """Calls `callback()` once, after `seconds`."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), callback))

    def run_once(self, idle):
        """Waits for the next event and handles what is due; does not wait where `idle` is false."""
        timeout = None
        if not idle:
            timeout = 0
        elif self._timers:
            timeout = max(0.0, self._timers[0][0] - time.monotonic())
        for key, _ in self._selector.select(timeout):
            # An earlier callback of this round may have given the descriptor up.
            if key.fd in self._selector.get_map():
                key.data()
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            heapq.heappop(self._timers)[2]()
