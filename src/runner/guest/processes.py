"""Processes of the sandbox: how a child becomes a program, and how everything is ended."""

import ctypes
import fcntl
import os
import resource
import select
import signal
import time

from channel import HIGH_FD
from places import SANDBOX

_PR_SET_DUMPABLE = 4
_libc = ctypes.CDLL(None, use_errno=True)

# The first process the kernel should choose when memory runs out.
_OOM_SCORE_FIRST = b"1000"
_MAX_FD = 1 << 20


class ForkedProgram(BaseException):
    """Raised in a fork of the guest: leaves the guest's frames behind before the program runs."""

    def __init__(self, run):
        super().__init__()
        self.run = run


def set_dumpable(dumpable):
    """Whether processes of the same user may read this one's memory, descriptors and environment."""
    if _libc.prctl(_PR_SET_DUMPABLE, int(dumpable), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE)")


def protect_guest():
    """Closes the guest to programs of the same user; no core files, from it or from programs."""
    set_dumpable(False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def make_pipe():
    """A pipe whose ends are out of the range of descriptors that programs use."""
    reader, writer = os.pipe()
    return lift(reader), lift(writer)


def lift(fd):
    """The descriptor, moved out of the range that programs use."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD)
    os.close(fd)
    return moved


def _prefer_for_oom_kill():
    try:
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
            file.write(_OOM_SCORE_FIRST)
    except OSError:
        # Not every runtime has it (gVisor); there the whole sandbox ends when memory runs out.
        pass


def become_program(descriptors, cwd=SANDBOX):
    """
    Turns a fresh fork of the guest into a process that a program may own.

    `descriptors` maps the numbers the program finds to descriptors of the guest, all above HIGH_FD; every other
    descriptor is closed first, because the process is open to others of its user from then on.
    """
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    for target, source in descriptors.items():
        os.dup2(source, target)
    kept = sorted(descriptors)
    for lower, upper in zip(kept, [*kept[1:], _MAX_FD]):
        # An empty range must not reach os.closerange: it takes (0, 0) for everything.
        if lower + 1 < upper:
            os.closerange(lower + 1, upper)
    set_dumpable(True)
    _prefer_for_oom_kill()
    os.umask(0o022)
    os.chdir(cwd)


def spawn(argv, environment, descriptors, cwd=SANDBOX):
    """Starts a program of its own session and returns its process id; 127 is its status where it cannot be executed."""
    pid = os.fork()
    if pid:
        return pid
    try:
        become_program(descriptors, cwd)
    except BaseException as error:  # the fork must never return into the guest's loop
        give_up(f"{argv[0]}: {error}")
    execute(argv, environment)


def execute(argv, environment):
    """Lets another program go on in this process; 127 is its status where it cannot be executed."""
    try:
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(ignored, signal.SIG_DFL)
        os.execve(argv[0], argv, environment)
    except BaseException as error:
        give_up(f"{argv[0]}: {error}")


def give_up(message):
    """Ends a fork that could not become its program, with status 127 and a line on stderr."""
    try:
        os.write(2, f"{message}\n".encode("utf-8", "replace"))
    finally:
        os._exit(127)


def kill_everything():
    """Sends SIGKILL to every process of the container but this one, which must be its PID 1."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass


def reap():
    """Collects what has ended: `(statuses by pid, whether any child is left)`."""
    ended = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if pid == 0:
            return ended, True
        ended[pid] = status


def end_everything(wakeup_fd, seconds=10.0):
    """Kills and reaps until no process is left; returns their statuses. Raises TimeoutError where one will not die."""
    deadline = time.monotonic() + seconds
    statuses = {}
    while True:
        kill_everything()
        ended, left = reap()
        statuses.update(ended)
        if not left:
            return statuses
        if time.monotonic() > deadline:
            raise TimeoutError("a process could not be killed")
        # A child's end writes to the wake-up descriptor; the time-out covers signals that were merged.
        select.select([wakeup_fd], [], [], 0.005)
        drain_wakeup(wakeup_fd)


def end_process(pid, seconds=5.0):
    """Kills one child of the guest and waits for its end; raises TimeoutError where it will not die."""
    deadline = time.monotonic() + seconds
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    while True:
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                return
        except ChildProcessError:
            return
        if time.monotonic() > deadline:
            raise TimeoutError("a process could not be killed")
        time.sleep(0.001)


def compute_apart(compute, seconds=20.0):
    """
    The bytes that `compute()` returns, made by a fork: the first to go when memory runs out. None where it failed.

    The guest waits for it, so this is for the time after the program's end.
    """
    read_end, write_end = make_pipe()
    pid = os.fork()
    if pid == 0:
        try:
            become_program({0: write_end})
            with open(0, "wb") as pipe:
                pipe.write(compute())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(write_end)
    data = _read_until_end(read_end, time.monotonic() + seconds)
    os.close(read_end)
    if data is None:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return data if status == 0 else None


def _read_until_end(fd, deadline):
    parts = []
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(fd, 1 << 18)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return None


def drain_wakeup(wakeup_fd):
    """Forgets the signals that were noted so far."""
    try:
        while os.read(wakeup_fd, 4096):
            pass
    except BlockingIOError:
        pass


def install_child_signal():
    """A descriptor that becomes readable whenever a child may have ended; SIGINT and SIGTERM from inside do nothing."""
    read_end, write_end = make_pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    return read_end
