"""The result of a shell program: its variable `result`, else what it wrote to stdout."""

import json
import math
import re

from report import clean_text
from serialiser import Limits, Unserialisable, to_json

MAX_MESSAGE = 2000
MAX_WHERE = 64 * 1024
# Of a command, and of a line that may hold it.
MAX_COMMAND = 500
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


def read_where(data):
    """The state without its value: from the beginning of what the prelude reported."""
    fields = data[:MAX_WHERE].decode("utf-8", "replace").split("\0", 2)
    return ShellState(*_where(*fields[:2])) if len(fields) > 2 else ShellState()


def _where(line, command):
    return int(line) if line.isdigit() else None, command


def read_state(data):
    """The last state in what the prelude reported; raises Unserialisable where its value cannot be JSON."""
    states = list(_split_states(data))
    if not states:
        return ShellState()
    where, attributes, keys, values = states[-1]
    if "A" in attributes:
        return ShellState(*where, {key: parse_text(value) for key, value in zip(keys, values)}, True)
    if "a" in attributes:
        return ShellState(*where, [parse_text(value) for value in values], True)
    return ShellState(*where, parse_text(values[0]), True) if values else ShellState(*where)


def _split_states(data):
    """Every whole state as `((line, command), attributes, keys, values)`: an exit handler may have added a second one."""
    fields = data.decode("utf-8", "replace").split("\0")
    at = 0
    while len(fields) - at > 4 and fields[at + 3].isdigit():
        line, command, attributes = fields[at : at + 3]
        count = int(fields[at + 3])
        start, at = at + 4, at + 4 + 2 * count
        if at >= len(fields):
            return
        yield _where(line, command), attributes, fields[start : start + count], fields[start + count : at]


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
    """The value of a text that is strict JSON, else the text itself; raises Unserialisable where nobody can tell."""
    try:
        return json.loads(text, parse_float=_finite_float, parse_constant=_refuse)
    except RecursionError:
        raise Unserialisable("it nests too deep for JSON", "ValueError") from None
    except ValueError:
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
