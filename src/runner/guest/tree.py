"""What lies below /sandbox and what is in it, so that it can be kept and made again; changes nothing on its way."""

import os
import stat
from hashlib import sha256

from collect import MAX_DEPTH, MAX_LISTED_BYTES, kind_of
from places import SANDBOX

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PART = 1 << 20
MODE = 0o777
FOLDER = "folder"


class _TooMuch(Exception):
    pass


class Tree:
    """
    One walk, in name order; `truncated` tells whether there is more than `most` entries or `most_bytes` bytes of files.

    Yields `(path, size, mode, digest)` for a file, `(path, "folder", mode)` for a folder, and `(path, why)` for what cannot be
    kept: link, fifo, socket, device, name where its path is not UTF-8, closed where its owner may not read it.
    """

    def __init__(self, most, most_bytes):
        self.truncated = False
        self._entries_left = most
        self._bytes_left = most_bytes
        self._path_bytes_left = MAX_LISTED_BYTES

    def __iter__(self):
        try:
            yield from self._walk(os.open(SANDBOX, _DIRECTORY), "", 0)
        except (_TooMuch, OSError):
            self.truncated = True

    def _walk(self, folder, prefix, depth):
        try:
            for name in sorted(os.listdir(folder)):
                self._entries_left -= 1
                self._path_bytes_left -= len(os.fsencode(prefix + name))
                if self._entries_left < 0 or self._path_bytes_left < 0 or depth > MAX_DEPTH:
                    raise _TooMuch
                yield from self._visit(folder, name, prefix, depth)
        finally:
            os.close(folder)

    def _visit(self, folder, name, prefix, depth):
        path = prefix + name
        try:
            facts = os.lstat(name, dir_fd=folder)
            mode = facts.st_mode & MODE
            if os.fsencode(path).decode("utf-8", "replace") != path:
                yield os.fsencode(path).decode("utf-8", "replace"), "name"
            elif stat.S_ISDIR(facts.st_mode):
                child = os.open(name, _DIRECTORY, dir_fd=folder)
                yield path, FOLDER, mode
                yield from self._walk(child, f"{path}/", depth + 1)
            elif stat.S_ISREG(facts.st_mode):
                yield path, *self._measure(folder, name, facts.st_size, mode)
            else:
                yield path, kind_of(facts)
        except PermissionError:
            yield path, "closed"
        except FileNotFoundError:
            # What goes on in the background has removed it: it is not there.
            pass

    def _measure(self, folder, name, size, mode):
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise _TooMuch
        size, digest = digest_of(name, folder)
        return size, mode, digest


def digest_of(name, folder):
    """Size and SHA-256, in hexadecimal digits, of what a regular file holds."""
    fd = os.open(name, _FILE, dir_fd=folder)
    try:
        hashed, size, part = sha256(), 0, memoryview(bytearray(_PART))
        while count := os.readv(fd, [part]):
            hashed.update(part[:count])
            size += count
        return size, hashed.hexdigest()
    finally:
        os.close(fd)
