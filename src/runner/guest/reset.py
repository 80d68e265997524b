"""The way back to the state at birth, for the next run of the same tenant; what cannot be verified is refused."""

import errno
import os
import resource
import stat

from places import SANDBOX, TMP, prepare_private_folder

_SHM = "/dev/shm"
_QUEUES = "/dev/mqueue"
_SYSTEM_V = "/proc/sysvipc"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Deeper or fuller trees than these cost more to empty than a new container.
_MAX_DEPTH = 100
_MAX_ENTRIES = 50_000
_LIMITS = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]


class NotClean(Exception):
    """Something of the last run is left, or cannot be told to be gone."""


class Birth:
    """What programs could change about the guest itself; noted before the first of them."""

    def __init__(self):
        self._state = self._own_state()

    @staticmethod
    def _own_state():
        return {
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
            "scheduler": os.sched_getscheduler(0),
            "processors": os.sched_getaffinity(0),
            "limits": [resource.getrlimit(limit) for limit in _LIMITS],
            "folder": os.getcwd(),
            "devices": sorted(os.listdir("/dev")),
        }

    def restore(self):
        """Empties every writable place and verifies the rest. Requires that every process was killed; raises NotClean."""
        try:
            _require_alone()
            for folder in (SANDBOX, TMP, _SHM):
                _empty(folder)
            os.chmod(SANDBOX, 0o755)
            _drop_attributes(SANDBOX)
            _require_no_ipc()
            self._require_same()
            prepare_private_folder()
        except OSError as error:
            raise NotClean(str(error)) from None

    def _require_same(self):
        for name, value in self._own_state().items():
            if value != self._state[name]:
                raise NotClean(f"{name} of the guest changed")


def _require_alone():
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    if others:
        raise NotClean(f"{len(others)} processes are left")


def _require_no_ipc():
    if os.path.isdir(_QUEUES) and os.listdir(_QUEUES):
        raise NotClean("message queues are left")
    for kind in ("msg", "sem", "shm"):
        try:
            with open(f"{_SYSTEM_V}/{kind}", "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        if len(lines) > 1:
            raise NotClean(f"System V objects are left: {kind}")


def _empty(path):
    folder = os.open(path, _DIRECTORY)
    try:
        Sweep().empty(folder, 0)
        if os.listdir(folder):
            raise NotClean(f"{path} could not be emptied")
    finally:
        os.close(folder)


class Sweep:
    """Removes everything below an open folder; follows no link, and is bounded."""

    def __init__(self):
        self._entries = 0

    def empty(self, folder, depth):
        """Removes what is in a folder, folders in it first."""
        for name in os.listdir(folder):
            self._entries += 1
            if depth > _MAX_DEPTH or self._entries > _MAX_ENTRIES:
                raise NotClean("too much to remove")
            facts = os.lstat(name, dir_fd=folder)
            if stat.S_ISDIR(facts.st_mode):
                self.remove_folder(folder, name, depth)
            else:
                os.unlink(name, dir_fd=folder)

    def remove_folder(self, parent, name, depth):
        """Removes a folder with all that is in it."""
        try:
            os.rmdir(name, dir_fd=parent)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        # Its owner may have closed it; nothing else runs that could swap it for a link meanwhile.
        os.chmod(name, 0o700, dir_fd=parent)
        child = os.open(name, _DIRECTORY, dir_fd=parent)
        try:
            self.empty(child, depth + 1)
        finally:
            os.close(child)
        os.rmdir(name, dir_fd=parent)


def _drop_attributes(path):
    try:
        for name in os.listxattr(path):
            if name.startswith("user."):
                os.removexattr(path, name)
    except OSError as error:
        # A file system without extended attributes has none to drop.
        if error.errno not in (errno.ENOTSUP, errno.EPERM, errno.ENOSYS):
            raise
