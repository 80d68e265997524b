"""From program text to code: the value of the last expression, top-level await, and lines for tracebacks."""

import ast
import linecache

from inputs import VALUE_NAME

FILE_NAME = "<code>"
# The syntax tree of a larger program would cost more memory than the program.
MAX_TREE_BYTES = 1 << 20

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_remembered = {}


class Unparsable(Exception):
    """The program does not compile; `cause` is what Python says about it."""

    def __init__(self, cause):
        super().__init__(str(cause))
        self.cause = cause


def decode_source(data):
    """Program text; a byte order mark is no part of it. Raises Unparsable where it is not UTF-8."""
    try:
        return data.removeprefix(_BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unparsable(SyntaxError(f"(unicode error) {error}", (FILE_NAME, 1, None, None))) from None


def remember_lines(text, *names):
    """Makes the program's lines known to tracebacks and to `inspect` under the given file names."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    for name in names:
        linecache.cache[name] = _remembered[name] = (len(text), None, [line + "\n" for line in lines], name)


def recall_lines():
    """Makes the lines known again where the program emptied the cache of lines."""
    linecache.cache.update(_remembered)


def compile_source(text):
    """Code of the program; its last expression is kept under VALUE_NAME. Raises Unparsable."""
    try:
        try:
            return _compile(text)
        except (RecursionError, MemoryError):
            # Nested too deep for a tree of Python objects; the compiler itself may still manage.
            return compile(text, FILE_NAME, "exec", flags=_FLAGS, dont_inherit=True)
    except SyntaxError as error:
        _complete(error)
        raise Unparsable(error) from None
    except (ValueError, RecursionError, MemoryError) as error:
        message = "source code cannot contain null bytes" if "\0" in text else f"{error or 'program is nested too deep'}"
        raise Unparsable(SyntaxError(message, (FILE_NAME, _line_of_null(text), None, None))) from None


def _compile(text):
    if len(text) > MAX_TREE_BYTES:
        return compile(text, FILE_NAME, "exec", flags=_FLAGS, dont_inherit=True)
    tree = compile(text, FILE_NAME, "exec", flags=_FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        target = ast.copy_location(ast.Name(VALUE_NAME, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    return compile(tree, FILE_NAME, "exec", flags=_FLAGS, dont_inherit=True)


def _complete(error):
    # What the compiler itself finds (as opposed to the parser) comes without the text of the line.
    if error.filename == FILE_NAME and error.text is None and error.lineno:
        error.text = linecache.getline(FILE_NAME, error.lineno) or None


def _line_of_null(text):
    index = text.find("\0")
    return text.count("\n", 0, index) + 1 if index >= 0 else 1
