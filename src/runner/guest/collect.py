"""Lists and reads the files a program left: regular files only, found by descriptor, no link followed."""

import errno
import os
import stat

from frames import CHUNK
from places import FIGURES, PRIVATE_NAME, SANDBOX, TMP

ROOTS = {"sandbox": SANDBOX, "tmp": TMP, "figures": FIGURES}
MAX_DEPTH = 64
# Directory entries that are looked at, whatever they are: bounds the time a listing can take.
MAX_VISITED = 250_000
# Bytes of all paths of a listing together: the host holds them at once.
MAX_LISTED_BYTES = 8 << 20

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Refused(Exception):
    """A file that cannot be sent; `code` is an errno name, NOT_REGULAR, TOO_LARGE or CHANGED."""

    def __init__(self, code, message):
        self.code = code
        super().__init__(message)


def _open_own(name, flags, parent, permission):
    """Opens by name; what its owner made unreadable is made readable, which is safe: nothing else runs any more."""
    try:
        return os.open(name, flags, dir_fd=parent)
    except PermissionError:
        if stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode):
            raise
        os.chmod(name, permission, dir_fd=parent)
        return os.open(name, flags, dir_fd=parent)


def _as_text(name):
    """The name as text can hold it: bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


_REFUSALS = {stat.S_IFLNK: "ELOOP", stat.S_IFDIR: "EISDIR"}
_KINDS = {stat.S_IFLNK: "link", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}


def kind_of(facts):
    """Why an entry that is neither a file nor a folder cannot be sent."""
    return _KINDS.get(stat.S_IFMT(facts.st_mode), "device")


class Listing:
    """
    One walk below a root, in name order; `truncated` tells whether it saw everything.

    Yields `(path, size)` for a file, and `(path, why)` for what is none that can be sent: link, fifo, socket, device, or
    name where its path is not UTF-8.
    """

    def __init__(self, root, limit):
        self.truncated = False
        self._root = ROOTS[root]
        self._hidden = PRIVATE_NAME if root == "tmp" else None
        self._limit = limit
        self._visited = 0

    def __iter__(self):
        try:
            top = _open_own(self._root, _DIRECTORY, None, 0o700)
        except OSError:
            return
        count = size = 0
        for entry in self._walk(top, "", 0):
            size += len(os.fsencode(entry[0]))
            if count == self._limit or size > MAX_LISTED_BYTES:
                self.truncated = True
                return
            count += 1
            yield entry

    def _walk(self, folder, prefix, depth):
        try:
            for name in sorted(os.listdir(folder)):
                if self._visited >= MAX_VISITED:
                    self.truncated = True
                    return
                self._visited += 1
                if not (depth == 0 and name == self._hidden):
                    yield from self._visit(folder, name, prefix, depth)
        except OSError:
            self.truncated = True
        finally:
            os.close(folder)

    def _visit(self, folder, name, prefix, depth):
        try:
            facts = os.lstat(name, dir_fd=folder)
            path = prefix + name
            if stat.S_ISDIR(facts.st_mode):
                if depth == MAX_DEPTH:
                    self.truncated = True
                    return
                child = _open_own(name, _DIRECTORY, folder, 0o700)
                yield from self._walk(child, f"{path}/", depth + 1)
            elif not stat.S_ISREG(facts.st_mode):
                yield _as_text(path), kind_of(facts)
            else:
                text = _as_text(path)
                # What is not UTF-8 has no path in a workspace.
                yield text, facts.st_size if text == path else "name"
        except OSError:
            self.truncated = True


class FileReader:
    """One file on its way to the host; raises Refused where it cannot be sent as it was opened."""

    def __init__(self, root, path, limit):
        try:
            self._fd = self._open(root, path)
        except OSError as error:
            raise Refused(errno.errorcode.get(error.errno, "EIO"), os.strerror(error.errno or errno.EIO)) from None
        facts = os.fstat(self._fd)
        self.size = facts.st_size
        self._sent = 0
        if not stat.S_ISREG(facts.st_mode):
            self.close()
            raise Refused("NOT_REGULAR", "not a regular file")
        if self.size > limit:
            self.close()
            raise Refused("TOO_LARGE", f"has {self.size} bytes, at most {limit} are taken")

    @staticmethod
    def _open(root, path):
        *folders, name = path.split("/")
        if root not in ROOTS or any(part in ("", ".", "..") or "\0" in part for part in (*folders, name)):
            raise Refused("EINVAL", "path is not canonical")
        if root == "tmp" and (*folders, name)[0] == PRIVATE_NAME:
            raise Refused("ENOENT", "not a file of the program")
        parent = _open_own(ROOTS[root], _DIRECTORY, None, 0o700)
        try:
            for folder in folders:
                child = _open_own(folder, _DIRECTORY, parent, 0o700)
                os.close(parent)
                parent = child
            facts = os.lstat(name, dir_fd=parent)
            if not stat.S_ISREG(facts.st_mode):
                code = _REFUSALS.get(stat.S_IFMT(facts.st_mode), "NOT_REGULAR")
                raise Refused(code, "not a regular file")
            return _open_own(name, _FILE, parent, 0o600)
        finally:
            os.close(parent)

    def read(self):
        """The next part, empty at the end; raises Refused(CHANGED) where the size is not what it was."""
        try:
            data = os.read(self._fd, CHUNK)
        except OSError as error:
            raise Refused(errno.errorcode.get(error.errno, "EIO"), os.strerror(error.errno or errno.EIO)) from None
        self._sent += len(data)
        if self._sent > self.size or (not data and self._sent != self.size):
            raise Refused("CHANGED", "the file changed while it was read")
        return data

    def close(self):
        """Closes the file."""
        os.close(self._fd)
