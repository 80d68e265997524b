"""Makes the files below /sandbox what a list says: what is not on it goes, what differs is sent by the host."""

import errno
import os
import stat
from base64 import b64decode

from frames import ProtocolError
from places import SANDBOX
from reset import NotClean, Sweep
from staging import Staging, StageError, open_folder
from tree import FOLDER, MODE, digest_of

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWN = 0o700


class Arrangement:
    """
    First the list, in parts; then the files that are missing, as those of a run come; then their modes.

    What is as it should be is not touched: whoever has it open keeps it.
    """

    def __init__(self):
        self.is_listed = False
        self.staging = Staging(replaces=True)
        self._folders = {}
        self._files = {}
        self._missing = {}

    def add(self, entries):
        """Takes part of the list: entries as of `Tree`, of files and folders; raises ProtocolError."""
        if not isinstance(entries, list):
            raise ProtocolError("ARRANGE is not valid")
        for entry in entries:
            if _is_entry(entry, 3) and entry[1] == FOLDER:
                self._folders[entry[0]] = entry[2]
            elif _is_entry(entry, 4) and isinstance(entry[1], int) and isinstance(entry[3], str):
                self._files[entry[0]] = tuple(entry[1:])
            else:
                raise ProtocolError("ARRANGE is not valid")

    @staticmethod
    def decode(part):
        """Bytes of a file; raises ProtocolError."""
        try:
            return b64decode(part.get("data"), validate=True)
        except (TypeError, ValueError):
            raise ProtocolError("PART is not valid") from None

    def clear(self):
        """Removes what is not on the list; returns the numbers of the files that have to be sent. Raises StageError."""
        self.is_listed = True
        self._missing = {path: number for number, path in enumerate(self._files)}
        folder = os.open(SANDBOX, _DIRECTORY)
        try:
            self._prune(folder, "")
            for path in self._folders:
                os.close(open_folder(path.split("/")))
        except NotClean as error:
            raise StageError("/sandbox", "EIO", str(error)) from None
        except OSError as error:
            raise StageError.of("/sandbox", error) from None
        finally:
            os.close(folder)
        return list(self._missing.values())

    def finish(self):
        """Gives files and folders their modes; raises ProtocolError, or StageError."""
        if not self.staging.finish() and not self.staging.failed:
            raise ProtocolError("START before every file was complete")
        try:
            for path, (_, mode, _digest) in self._files.items():
                _set_mode(path, mode)
            for path in sorted(self._folders, reverse=True):
                _set_mode(path, self._folders[path])
        except OSError as error:
            if not self.staging.failed:
                raise StageError.of("/sandbox", error) from None

    def _prune(self, folder, prefix):
        for name in os.listdir(folder):
            path = prefix + name
            facts = os.lstat(name, dir_fd=folder)
            if stat.S_ISDIR(facts.st_mode):
                self._prune_folder(folder, name, path, facts)
            elif stat.S_ISREG(facts.st_mode) and self._is_there(folder, name, path, facts):
                del self._missing[path]
            else:
                os.unlink(name, dir_fd=folder)

    def _prune_folder(self, folder, name, path, facts):
        if path not in self._folders:
            Sweep().remove_folder(folder, name, 0)
            return
        if facts.st_mode & _OWN != _OWN:
            # Its owner may have closed it; its mode comes last.
            os.chmod(name, _OWN, dir_fd=folder)
        child = os.open(name, _DIRECTORY, dir_fd=folder)
        try:
            self._prune(child, f"{path}/")
        finally:
            os.close(child)

    def _is_there(self, folder, name, path, facts):
        if path not in self._missing or facts.st_size != self._files[path][0]:
            return False
        size, _, digest = self._files[path]
        try:
            return digest_of(name, folder) == (size, digest)
        except PermissionError:
            return False


def _is_entry(entry, length):
    if not isinstance(entry, list) or len(entry) != length:
        return False
    return isinstance(entry[0], str) and isinstance(entry[2], int) and 0 <= entry[2] <= MODE


def _set_mode(path, mode):
    *folders, name = path.split("/")
    parent = open_folder(folders)
    try:
        if stat.S_IMODE(os.lstat(name, dir_fd=parent).st_mode) != mode:
            os.chmod(name, mode, dir_fd=parent)
    except OSError as error:
        # A file that could not be sent has no mode.
        if error.errno != errno.ENOENT:
            raise
    finally:
        os.close(parent)
