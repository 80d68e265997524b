"""Shell programs in the guest: bash runs the program as a script, a prelude notes its result."""

import json
import os
import re

from execution import Conclusion
from inputs import InputError, load_inputs
from late_import import import_guest
from notes import NOTES_FD
from pipes import REPORT_FD
from places import GUEST_DIR, PRIVATE, PROGRAM_ENVIRONMENT, write_private
from prepared import PreparedFork
from processes import compute_apart, execute
from report import Report
from serialiser import Unserialisable
from shell_inputs import input_variables
from staging import StageError
from shell_result import (
    chose_to_exit,
    describe_failure,
    describe_syntax_error,
    encode_result,
    line_of_failure,
    read_state,
    read_where,
    result_of_stdout,
)

BASH = "/bin/bash"
FOLDER = f"{PRIVATE}/shell"
SCRIPT = "main.sh"
PARSE_SECONDS = 5
# A larger state is parsed by a process of its own: what that needs in memory must not be the guest's.
MAX_STATE_HERE = 64 * 1024
# With which bash ends where it cannot parse the program.
_PARSE_STATUS = 2

# Both are needed for an exit handler, or a listing of handlers; each is linear in the program's length.
_TRAP = re.compile(rb"\btrap\b")
_EXIT_OR_LIST = re.compile(rb"\bEXIT\b|\b0\b|\btrap[ \t]*(?:-p|$|[;)|])", re.IGNORECASE | re.MULTILINE)


def prepare_script(code):
    """The program as bash gets it: without byte order mark, with newlines of Unix, line numbers unchanged."""
    code = code.removeprefix(b"\xef\xbb\xbf")
    if code.count(b"\r\n") == code.count(b"\n"):
        code = code.replace(b"\r\n", b"\n")
    return b"_; " + code


def load_shell_inputs(execution):
    """The inputs of a program; raises StageError where one cannot be given to it."""
    try:
        return load_inputs(bytes(execution.inputs), execution.spec["fileVariables"])
    except InputError as error:
        raise StageError(error.path, "EILSEQ", str(error)) from None


def encode_inputs(inputs):
    """All inputs, as programs find them in the file $HOURGLASS_INPUTS."""
    return json.dumps(inputs, ensure_ascii=False).encode("utf-8", "replace")


class ShellRuntime:
    """Runs one bash program."""

    languages = ("shell",)

    def __init__(self, _startup_modules, _hurry):
        self._fork = PreparedFork(execute, cwd=FOLDER)

    def boot(self, _preload, pipes):
        """Nothing needs to be warm but the process: bash starts within milliseconds."""
        os.makedirs(FOLDER, mode=0o700, exist_ok=True)
        self._fork.prepare(pipes.program_side(REPORT_FD, NOTES_FD))
        return []

    def open_session(self, pipes, loop, _session):
        """A bash for each call; the fork that waits for a program is not needed."""
        self._fork.dismiss()
        return import_guest("shell_session").ShellSession(pipes, loop)

    def renew(self, pipes):
        """As at the boot."""
        self.boot([], pipes)

    def start(self, execution, pipes):
        """Starts bash and returns its process id; raises StageError where an input cannot be given to it."""
        code = bytes(execution.code)
        inputs = load_shell_inputs(execution)
        try:
            write_private(f"shell/{SCRIPT}", prepare_script(code))
            inputs_file = write_private("inputs.json", encode_inputs(inputs))
        except OSError as error:
            raise StageError.of("/tmp", error) from None
        variables, warnings = input_variables(inputs)
        execution.warnings += warnings
        has_exit_handler = _TRAP.search(code) and _EXIT_OR_LIST.search(code)
        prelude = "prelude-trap.bash" if has_exit_handler else "prelude.bash"
        environment = {
            **variables,
            **PROGRAM_ENVIRONMENT,
            "HOURGLASS_INPUTS": inputs_file,
            "BASH_ENV": f"{GUEST_DIR}/shell/{prelude}",
        }
        if execution.last_checkpoint is not None:
            environment["HOURGLASS_LAST_CHECKPOINT"] = execution.last_checkpoint
        job = ([BASH, "-e", SCRIPT], environment)
        return self._fork.begin(job, pipes.program_side(REPORT_FD, NOTES_FD), execution.loop)

    def on_ended(self, ended):
        """Ends of processes other than the program's are of no interest."""
        self._fork.on_ended(ended)

    def conclude(self, execution, status):
        """What is said of a program that has ended."""
        self._fork.end()
        return conclude(execution, status)


def conclude(execution, status):
    """Result, error and syntax check of a program that has ended; none of them where a signal ended it."""
    if os.WIFSIGNALED(status):
        return Conclusion(report=b"")
    exit_code = os.WEXITSTATUS(status)
    parsed = exit_code != _PARSE_STATUS or chose_to_exit(read_where(execution.reported.data))
    syntax_error = None if parsed else _find_syntax_error()
    large = len(execution.reported.data) > MAX_STATE_HERE

    def compute():
        return _report(execution, exit_code, syntax_error).encode()

    report = compute_apart(compute) if large else compute()
    if report is None:
        failed = Report()
        failed.fail("RUNTIME_ERROR", "MemoryError", "result cannot be turned into JSON: it is too large for the sandbox")
        report = failed.encode()
    return Conclusion(report=report, syntax_error=syntax_error is not None)


def _find_syntax_error():
    """What bash says where it cannot parse the program; extended patterns count as known: they may be switched on."""
    import subprocess  # for the few programs that need it

    argv = [BASH, "-O", "extglob", "-n", SCRIPT]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    try:
        check = subprocess.run(argv, cwd=FOLDER, env=PROGRAM_ENVIRONMENT, timeout=PARSE_SECONDS, **quiet)
    except (OSError, subprocess.SubprocessError):
        return None
    said = check.stderr.decode("utf-8", "replace")
    # Of an error inside [[ ]] it speaks without a status of its own; a here-document without its end is a warning.
    speaks = said.startswith(f"{SCRIPT}: line ") and (check.returncode or ": warning: " not in said)
    return said if speaks else None


def _report(execution, exit_code, syntax_error):
    report = Report()
    code = bytes(execution.code).decode("utf-8", "replace")
    line = None
    try:
        if execution.reported.truncated:
            limit = execution.spec["maxResultBytes"]
            raise Unserialisable(f"it has more than {limit} bytes; write it to a file and name that in outputFiles", "ValueError")
        state = read_state(execution.reported.data)
        line = line_of_failure(state, code) if exit_code else None
        if state.has_result:
            report.result, notes = encode_result(state.value, execution.spec)
            report.source = "variable"
        elif exit_code == 0:
            text, notes = result_of_stdout(execution.stdout, execution.spec["maxOutputBytes"])
            report.result, _ = encode_result(text, execution.spec)
        else:
            notes = []
        report.warnings += notes
    except Unserialisable as error:
        report.fail("RUNTIME_ERROR", error.kind, f"result cannot be turned into JSON: {error}")
    if syntax_error is not None:
        message, line = describe_syntax_error(syntax_error)
        report.note("SYNTAX_ERROR", "SYNTAX_ERROR", message, line)
    elif exit_code != 0:
        report.note("RUNTIME_ERROR", "RUNTIME_ERROR", describe_failure(exit_code, line), line)
    return report
