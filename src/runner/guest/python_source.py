"""From program text to code: the value of the last expression, top-level await, and lines for tracebacks."""

import ast
import linecache

from inputs import VALUE_NAME

FILE_NAME = "<code>"
_LATER_NAME = "<code "
# Programs whose lines are known: functions of earlier calls of a session may still run.
MAX_REMEMBERED = 500
# The syntax tree of a larger program would cost more memory than the program.
MAX_TREE_BYTES = 1 << 20

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_remembered = {}


def name_of_call(number):
    """The file name of a session's call in tracebacks."""
    return FILE_NAME if number == 1 else f"{_LATER_NAME}{number}>"


def is_program(name):
    """Whether a file name is that of a program, or of a call of a session."""
    return name == FILE_NAME or name.startswith(_LATER_NAME)


class Unparsable(Exception):
    """The program does not compile; `cause` is what Python says about it."""

    def __init__(self, cause):
        super().__init__(str(cause))
        self.cause = cause


def decode_source(data, file_name=FILE_NAME):
    """Program text; a byte order mark is no part of it. Raises Unparsable where it is not UTF-8."""
    try:
        return data.removeprefix(_BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unparsable(SyntaxError(f"(unicode error) {error}", (file_name, 1, None, None))) from None


def remember_lines(text, *names):
    """Makes the program's lines known to tracebacks and to `inspect` under the given file names."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    while len(_remembered) >= MAX_REMEMBERED:
        linecache.cache.pop(next(iter(_remembered)), None)
        del _remembered[next(iter(_remembered))]
    for name in names:
        linecache.cache[name] = _remembered[name] = (len(text), None, [line + "\n" for line in lines], name)


def recall_lines():
    """Makes the lines known again where the program emptied the cache of lines."""
    linecache.cache.update(_remembered)


def compile_source(text, file_name=FILE_NAME):
    """Code of the program; its last expression is kept under VALUE_NAME. Raises Unparsable."""
    try:
        try:
            return _compile(text, file_name)
        except (RecursionError, MemoryError):
            # Nested too deep for a tree of Python objects; the compiler itself may still manage.
            return compile(text, file_name, "exec", flags=_FLAGS, dont_inherit=True)
    except SyntaxError as error:
        _complete(error, file_name)
        raise Unparsable(error) from None
    except (ValueError, RecursionError, MemoryError) as error:
        message = "source code cannot contain null bytes" if "\0" in text else str(error) or "program is nested too deep"
        raise Unparsable(SyntaxError(message, (file_name, _line_of_null(text), None, None))) from None


def _compile(text, file_name):
    if len(text) > MAX_TREE_BYTES:
        return compile(text, file_name, "exec", flags=_FLAGS, dont_inherit=True)
    tree = compile(text, file_name, "exec", flags=_FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        target = ast.copy_location(ast.Name(VALUE_NAME, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    return compile(tree, file_name, "exec", flags=_FLAGS, dont_inherit=True)


def _complete(error, file_name):
    # What the compiler itself finds (as opposed to the parser) comes without the text of the line.
    if error.filename == file_name and error.text is None and error.lineno:
        error.text = linecache.getline(file_name, error.lineno) or None


def _line_of_null(text):
    index = text.find("\0")
    return text.count("\n", 0, index) + 1 if index >= 0 else 1
