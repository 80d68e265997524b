"""Shell in a session: a fresh bash for each call, which brings back what the one before has noted of its state."""

import errno
import os
import re
from contextlib import suppress

import loop as events
from notes import NOTES_FD
from pipes import REPORT_FD, ReportPipe
from places import GUEST_DIR, PRIVATE, PROGRAM_ENVIRONMENT, replace_private
from processes import lift, make_pipe, spawn
from session_points import Points, with_call
from shell_inputs import input_variables
from shell_runtime import BASH, FOLDER, SCRIPT, conclude, encode_inputs, load_shell_inputs, prepare_script
from staging import StageError

MAX_POINTS = 8
MAX_STATE_BYTES = 16 << 20
# As session.bash has them: where the state is written, that of the calls before, what the call brings, and notes of its own.
_NEXT_FD, _STATE_FD, _CALL_FD, _SCRATCH_FD = 105, 106, 107, 108
_WHOLE = b"\n# whole\n"
_PRELUDE = f"{GUEST_DIR}/shell/session.bash"
# In front of the program, in its first line: nothing of it is said, whatever options and handlers the program has.
_BEGIN = b'{ _; builtin set -- "${__hourglass_arguments[@]}"; builtin eval "$__hourglass_options"; } 2>/dev/null; '
# Given back where the disk is full: a program that is to make room must be able to start.
_RESERVE, _RESERVE_BYTES = "reserve", 128 * 1024
_ASSIGNS_RESULT = re.compile(
    rb"\bresult(?:\[[^]\n]*\])?\+?=|\(\([^\n]*\bresult\b"
    rb"|\b(?:read|mapfile|readarray|for|select|printf|declare|typeset|export|let|getopts)\b[^\n;|&]*\bresult\b"
)
_NOT_KEPT = "variables, functions and options are as they were before the program: it ended without an end of its shell"
_TOO_LARGE = f"variables, functions and options are as they were before the program: it left more than {MAX_STATE_BYTES} bytes"


def _memory_file(data=b""):
    """A file that has no name: no full disk is in its way, and no program finds it."""
    fd = lift(os.memfd_create("hourglass", os.MFD_CLOEXEC))
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    return fd


def _quote(value):
    return b"'" + value.replace(b"'", b"'\\''") + b"'"


class ShellSession:
    """States are files in memory, which only bash reads; the last ones are kept."""

    # It is never in the way of the state.
    can_interrupt = False

    def __init__(self, pipes, loop):
        self.pid = None
        self._pipes = pipes
        self._loop = loop
        self._points = Points(MAX_POINTS, os.close)
        self._state, self._next = _memory_file(), None
        self._scratch = _memory_file()
        self._numbers = frozenset({0})
        self._report = None
        self._keep_reserve()

    # A call

    def start(self, call):
        """Starts bash and returns its process id; raises StageError where an input cannot be given to it."""
        code = bytes(call.code)
        inputs = load_shell_inputs(call)
        variables, warnings = input_variables(inputs)
        try:
            self._write(f"shell/{SCRIPT}", _BEGIN + prepare_script(code).removeprefix(b"_; "))
            environment = {
                **PROGRAM_ENVIRONMENT,
                "HOURGLASS_INPUTS": self._write("inputs.json", encode_inputs(inputs)),
                "BASH_ENV": _PRELUDE,
            }
            stdin = lift(os.open(self._write("stdin", call.stdin) if call.stdin else os.devnull, os.O_RDONLY))
        except OSError as error:
            raise StageError.of("/tmp", error) from None
        if call.last_checkpoint is not None:
            environment["HOURGLASS_LAST_CHECKPOINT"] = call.last_checkpoint
        self._spawn(call, environment, stdin, self._describe(variables, code))
        call.warnings += warnings
        return self.pid

    def _spawn(self, call, environment, stdin, description):
        report_read, report_write = make_pipe()
        self._next, brings = _memory_file(), _memory_file(description)
        descriptors = {**self._pipes.program_side(REPORT_FD, NOTES_FD), 0: stdin, REPORT_FD: report_write}
        descriptors |= {_NEXT_FD: self._next, _STATE_FD: self._state, _CALL_FD: brings, _SCRATCH_FD: self._scratch}
        try:
            self.pid = spawn([BASH, "-e", SCRIPT], environment, descriptors, FOLDER)
        except OSError as error:
            os.close(report_read)
            os.close(self._next)
            raise StageError.of("/tmp", error) from None
        finally:
            for fd in (stdin, report_write, brings):
                os.close(fd)
        self._report = ReportPipe(report_read, call.spec["maxResultBytes"])
        call.report_by(self._report)
        self._loop.watch(report_read, events.READ, self._read_report)

    @staticmethod
    def _describe(variables, code):
        """What bash reads after the state: the inputs win over variables of the same name."""
        lines = [b"builtin declare -x %s=%s" % (name.encode(), _quote(value)) for name, value in variables.items()]
        lines.append(b"__hourglass_environment=(%s)" % " ".join(PROGRAM_ENVIRONMENT).encode())
        lines.append(b"__hourglass_assigns=%d\n" % bool(_ASSIGNS_RESULT.search(code)))
        return b"\n".join(lines)

    def _write(self, name, data):
        try:
            return replace_private(name, data)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
        with suppress(FileNotFoundError):
            os.unlink(f"{PRIVATE}/{_RESERVE}")
        return replace_private(name, data)

    @staticmethod
    def _keep_reserve():
        try:
            if os.stat(f"{PRIVATE}/{_RESERVE}", follow_symlinks=False).st_size == _RESERVE_BYTES:
                return
        except OSError:
            pass
        try:
            replace_private(_RESERVE, bytes(_RESERVE_BYTES))
        except OSError:
            # There is no room now; after a later call there may be.
            pass

    def _read_report(self):
        self._report.read()
        if self._report.closed:
            self._loop.unwatch(self._report.fd)

    # Its end

    def on_ended(self, ended):
        """The status of bash where it is among those that ended, else None."""
        if self.pid not in ended:
            return None
        status = ended[self.pid]
        self.pid = None
        return status

    def has_crashed(self, status):
        """Whether it did not come to an end of its own, so that what it began ends with it."""
        return os.WIFSIGNALED(status)

    def conclude(self, call, status):
        """As of a program that is alone."""
        self._loop.unwatch(self._report.fd)
        # Background work may hold the pipe: not until its end.
        self._report.drain_present()
        self._report.close()
        return conclude(call, status)

    def settle(self, call, status, conclusion):
        """What became of the state in a call that is over: `kept` or `restored`."""
        has_ended = os.WIFEXITED(status) and not conclusion.syntax_error
        size = os.fstat(self._next).st_size
        is_whole = os.pread(self._next, len(_WHOLE), max(0, size - len(_WHOLE))) == _WHOLE
        if has_ended and is_whole and size <= MAX_STATE_BYTES:
            self._points.add(self._numbers, self._state)
            self._state, self._numbers = self._next, frozenset({call.number})
            return "kept"
        if has_ended:
            call.warnings.append(_TOO_LARGE if is_whole else _NOT_KEPT)
        os.close(self._next)
        self._numbers = with_call(self._numbers, call.number)
        return "restored"

    def rollback(self, number):
        """Whether the state is now the one after an earlier call."""
        if number in self._numbers:
            return True
        point = self._points.take(number)
        if point is None:
            return False
        os.close(self._state)
        self._numbers, self._state = point
        return True

    def after_call(self):
        """The host knows of the end."""
        self._keep_reserve()

    # What interpreters that stay need

    def prepare(self):
        """There is nothing to have ready."""

    def pump(self):
        """Nothing is said before the end."""

    def await_copy(self):
        """There are no copies."""

    def on_tick(self):
        """States are small."""

    def keep_states(self, most):
        """As many files."""
        self._points.keep(min(most, MAX_POINTS))

    def kill(self):
        """Nothing runs between calls."""

    def go_on(self):
        """Nothing can be lost between calls."""
        return False

    def helpers(self):
        """It has no processes beside bash."""
        return ()
