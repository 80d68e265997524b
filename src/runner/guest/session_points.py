"""States of a session that can be gone back to."""

from collections import deque


class Points:
    """
    Kept states, oldest first, at most `most`; each has the numbers of the calls after which it was the session's state.

    What holds a state is anything; `drop(holder)` gives it up.
    """

    def __init__(self, most, drop):
        self._most = most
        self._drop = drop
        self._points = deque()

    def __len__(self):
        return len(self._points)

    def keep(self, most):
        """From now on keeps at most so many."""
        self._most = most
        self.trim(most)

    def add(self, numbers, holder):
        """Keeps one more; the oldest gives way."""
        self._points.append((numbers, holder))
        self.trim(self._most)

    def trim(self, most):
        """Gives up the oldest until at most so many are left."""
        while len(self._points) > most:
            self._drop(self._points.popleft()[1])

    def holders(self):
        """What holds the states."""
        return [holder for _, holder in self._points]

    def forget(self, holders):
        """Leaves out what is gone already."""
        self._points = deque(point for point in self._points if point[1] not in holders)

    def take_newest(self):
        """Hands out the newest, which is kept no more: `(numbers, holder)`."""
        return self._points.pop()

    def take(self, number):
        """Hands out the state after a call and gives up all that are later; None, and nothing changes, where it is not kept."""
        if not any(number in numbers for numbers, _ in self._points):
            return None
        while True:
            numbers, holder = self._points.pop()
            if number in numbers:
                return numbers, holder
            self._drop(holder)


def with_call(numbers, number, most=64):
    """The numbers and one more, of which the largest are enough."""
    return frozenset(sorted({*numbers, number})[-most:])
