"""The result of a shell program: its variable `result`, else what it wrote to stdout."""

import json
import math
import os
import re
import stat

from places import PRIVATE
from report import clean_text
from serialiser import Limits, Unserialisable, to_json

STATE_FILE = f"{PRIVATE}/shell/state"
MAX_MESSAGE = 2000
# Of a command, and of a line that may hold it.
MAX_COMMAND = 500
MAX_WHERE = 64 * 1024
_EXIT = re.compile(r"exit\b")
_HINTS = {126: "; files in the sandbox cannot be executed as they are: use `bash FILE` or `python3 FILE`"}


class ShellState:
    """
    What the prelude wrote at the end of the main shell; all absent where it could not.

    `line` is that of the command that failed, or of the call of the function it is in; `command` is the shell's last one,
    empty where `line` is exact.
    """

    def __init__(self, line=None, command="", value=None, has_result=False):
        self.line = line
        self.command = command
        self.value = value
        self.has_result = has_result


def _read_fields(size):
    """Size of the state file and the fields in its first bytes; none where it is no file of ours."""
    try:
        fd = os.open(STATE_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return 0, []
    with open(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            return 0, []
        return facts.st_size, file.read(size).decode("utf-8", "replace").split("\0")


def _parse_where(fields):
    return (int(fields[0]) if fields[0].isdigit() else None, fields[1]) if len(fields) > 2 else (None, "")


def read_where():
    """The state without its value."""
    return ShellState(*_parse_where(_read_fields(MAX_WHERE)[1]))


def read_state(max_bytes):
    """The state file; raises Unserialisable where it is larger than a result may be."""
    size, fields = _read_fields(2 * max_bytes)
    if size > 2 * max_bytes:
        raise Unserialisable(f"it has {size} bytes, the limit is {max_bytes} bytes", "ValueError")
    return _parse_state(fields)


def _parse_state(fields):
    if len(fields) < 5 or not fields[3].isdigit():
        return ShellState()
    where = _parse_where(fields)
    attributes, count = fields[2], int(fields[3])
    keys, values = fields[4 : 4 + count], fields[4 + count : 4 + 2 * count]
    if len(values) != count:
        return ShellState(*where)
    if "A" in attributes:
        return ShellState(*where, {key: parse_text(value) for key, value in zip(keys, values)}, True)
    if "a" in attributes:
        return ShellState(*where, [parse_text(value) for value in values], True)
    return ShellState(*where, parse_text(values[0]), True) if count else ShellState(*where)


def chose_to_exit(state):
    """Whether the program ended by a command of its own, so that what follows it was never read."""
    return state.line is not None or _EXIT.match(state.command) is not None


def line_of_failure(state, code):
    """The line of the command that ended the program: what bash knows, else the one place in `code` with its text."""
    command = state.command
    if not 0 < len(command) <= MAX_COMMAND or _EXIT.match(command):
        return state.line
    # bash tells it with spaces of its own, and with the 1 of `1>&2`.
    text = re.escape(command).replace(r"\ ", "[ \t]*").replace("1>", "1?>")
    place = re.compile(rf"(?<![\w-]){text}(?![\w-])")
    found = [number for number, line in enumerate(code.split("\n"), start=1) if _holds(line, place)]
    return found[0] if len(found) == 1 else state.line


def _holds(line, place):
    return len(line) <= MAX_COMMAND and not line.lstrip().startswith("#") and place.search(line) is not None


def _finite_float(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("beyond the range of a number")
    return number


def _refuse(_constant):
    raise ValueError("not JSON")


def parse_text(text):
    """The value of a text that is strict JSON, else the text itself."""
    try:
        return json.loads(text, parse_float=_finite_float, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def result_of_stdout(stdout, limit):
    """Text of stdout without its final newline, and a warning where the middle is missing."""
    head, tail, omitted = bytes(stdout.head), stdout.tail(), stdout.omitted()
    if stdout.total <= limit:
        text = head.decode("utf-8", "replace")
        return text.removesuffix("\n"), []
    kept = head.decode("utf-8", "ignore"), tail.decode("utf-8", "ignore")
    marker = f"\n... {omitted} bytes left out ...\n" if omitted else ""
    warning = f"stdout has {stdout.total} bytes: the result holds its beginning and its end, set `result` or write a file"
    return marker.join(kept).removesuffix("\n"), [warning]


def encode_result(value, spec):
    """JSON of a result within the bounds of the run; raises Unserialisable."""
    return to_json(value, Limits(spec["jsonDepth"], spec["maxResultBytes"]))


def describe_failure(exit_code, line):
    """Message of a program that ended with a status other than 0."""
    # Without a line it is bash itself that refuses the program.
    where = f" (line {line}){_HINTS.get(exit_code, '')}" if line is not None else ""
    return f"Command exited with code {exit_code}{where}"


def describe_syntax_error(text):
    """Message and line of what bash says about a program that it cannot parse."""
    first = text.partition("\n")[0][:MAX_MESSAGE]
    found = re.match(r"main\.sh: line (\d+): (.*)", first)
    return (found[2], int(found[1])) if found else (clean_text(first) or "the program does not parse", None)
