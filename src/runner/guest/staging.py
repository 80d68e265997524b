"""Places input files below /sandbox by directory descriptors; follows no link, replaces nothing but files of earlier calls."""

import errno
import os

from frames import ProtocolError
from places import SANDBOX

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class StageError(Exception):
    """A file could not be placed; `code` is the name of the errno."""

    def __init__(self, path, code, message):
        super().__init__(message)
        self.path = path
        self.code = code

    @classmethod
    def of(cls, path, error):
        """What an OSError means for a file."""
        number = error.errno or errno.EIO
        return cls(path, errno.errorcode.get(number, "EIO"), os.strerror(number))


def _split(path):
    segments = path.split("/")
    if any(segment in ("", ".", "..") or "\0" in segment for segment in segments):
        raise ProtocolError("path of a staged file is not canonical")
    return segments


def open_folder(folders):
    """A folder below /sandbox, made where it is missing."""
    if any(name in ("", ".", "..") or "\0" in name for name in folders):
        raise ProtocolError("path of a folder is not canonical")
    parent = os.open(SANDBOX, _DIRECTORY)
    for name in folders:
        try:
            try:
                os.mkdir(name, 0o755, dir_fd=parent)
            except FileExistsError:
                pass
            child = os.open(name, _DIRECTORY, dir_fd=parent)
        finally:
            os.close(parent)
        parent = child
    return parent


def _create(name, parent, replaces):
    try:
        return os.open(name, _NEW_FILE, 0o644, dir_fd=parent)
    except FileExistsError:
        if not replaces:
            raise
    # What it was goes on for whoever has it open; a folder stays, and is an error.
    os.unlink(name, dir_fd=parent)
    return os.open(name, _NEW_FILE, 0o644, dir_fd=parent)


class StagedFile:
    """One file that is being received; complete when as many bytes came as were announced."""

    def __init__(self, path, size, replaces):
        self.path = path
        self._left = size
        *folders, name = _split(path)
        try:
            parent = open_folder(folders)
            try:
                self._fd = _create(name, parent, replaces)
            finally:
                os.close(parent)
        except OSError as error:
            raise StageError.of(path, error) from None

    def write(self, data):
        """Appends bytes; raises StageError, or ProtocolError beyond the announced size."""
        self._left -= len(data)
        if self._left < 0:
            raise ProtocolError("a staged file is longer than announced")
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            raise StageError.of(self.path, error) from None

    @property
    def complete(self):
        """Whether all announced bytes are there."""
        return self._left == 0

    def close(self):
        """Closes the file."""
        os.close(self._fd)


class Staging:
    """
    All files of one run; the first that fails stops the rest, whose bytes are taken and dropped.

    `replaces`: a file that lies where one is to come, because an earlier call of the session left it there, gives way.
    """

    def __init__(self, replaces=False):
        self._replaces = replaces
        self._open = {}
        self.failed = False

    def begin(self, file_id, path, size):
        """Creates a file; raises StageError."""
        if self.failed:
            return
        if file_id in self._open:
            raise ProtocolError("two staged files have one number")
        if not isinstance(path, str) or not isinstance(size, int) or size < 0:
            raise ProtocolError("a staged file has no path or size")
        file = self._guard(lambda: StagedFile(path, size, self._replaces))
        self._keep_or_close(file_id, file)

    def write(self, file_id, data):
        """Appends bytes to a file; raises StageError."""
        if self.failed:
            return
        file = self._open.pop(file_id, None)
        if file is None:
            raise ProtocolError("bytes for a file that was not announced")
        try:
            self._guard(lambda: file.write(data))
        except StageError:
            file.close()
            raise
        self._keep_or_close(file_id, file)

    def finish(self):
        """Whether every file is complete and none failed; closes what is open."""
        complete = not self._open and not self.failed
        for file in self._open.values():
            file.close()
        self._open.clear()
        return complete

    def _keep_or_close(self, file_id, file):
        if file.complete:
            file.close()
        else:
            self._open[file_id] = file

    def _guard(self, action):
        try:
            return action()
        except StageError:
            self.failed = True
            raise
