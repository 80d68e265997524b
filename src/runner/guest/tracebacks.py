"""Errors as the user should see them: their own lines, nothing of ours, otherwise just as Python prints them."""

import io
import re
import sys
import traceback

from places import GUEST_DIR
from python_source import FILE_NAME, is_program, recall_lines

MAX_MESSAGE = 8 * 1024
MAX_TRACEBACK = 64 * 1024
# The interpreter's own printer of errors.
_DISPLAY = sys.excepthook
_SUGGESTION = re.compile(r"\. Did you mean: '[^'\n]*'\?$")


def _is_ours(tb):
    return tb.tb_frame.f_code.co_filename.startswith(GUEST_DIR)


def strip_guest_frames(error, tb):
    """The traceback from the user's first frame on; as it is where the user's code is not in it."""
    first = tb
    while first is not None and not is_program(first.tb_frame.f_code.co_filename):
        first = first.tb_next
    if first is None:
        first = tb
        while first is not None and _is_ours(first):
            first = first.tb_next
    return first


def line_of(error, tb, file_name=FILE_NAME):
    """Line of the user's program, or of the call of that file name, that the error came from, or None."""
    line = None
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == file_name:
            line = tb.tb_lineno
        tb = tb.tb_next
    if line is None and isinstance(error, SyntaxError) and error.filename == file_name:
        return error.lineno
    return line


def message_of(error):
    """`str(error)`, bounded, whatever the error's own `__str__` does."""
    try:
        message = error.msg if isinstance(error, SyntaxError) and error.msg else str(error)
    except BaseException as failure:
        return f"<the error's text could not be made: {type(failure).__name__}>"
    return message if len(message) <= MAX_MESSAGE else message[:MAX_MESSAGE] + "..."


def _suggest(error, text):
    """Adds what the user may have meant, which only the interpreter's own printer works out."""
    if not isinstance(error, (AttributeError, NameError)) or not text.endswith(f": {error}\n"):
        return text
    stderr, sys.stderr = getattr(sys, "stderr", None), io.StringIO()
    try:
        _DISPLAY(type(error), error, error.__traceback__)
        shown = sys.stderr.getvalue()
    finally:
        sys.stderr = stderr
    suggestion = _SUGGESTION.search(shown.rstrip("\n"))
    return text if suggestion is None else f"{text[:-1]}{suggestion[0]}\n"


def format_error(error, tb):
    """The text Python would print for an error with this traceback, bounded."""
    try:
        recall_lines()
        text = _suggest(error, "".join(traceback.format_exception(type(error), error, tb)))
    except BaseException as failure:
        return f"{type(error).__name__} (its traceback could not be made: {type(failure).__name__})\n"
    if len(text) > MAX_TRACEBACK:
        half = MAX_TRACEBACK // 2
        return f"{text[:half]}\n  ... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"
    return text


def _write_error(text):
    stream = sys.stderr if sys.stderr is not None else sys.__stderr__
    try:
        stream.write(text)
        stream.flush()
    except Exception:
        # The program closed or broke its stderr: nothing is left to say it with.
        pass


def _print_exception(_type, error, tb):
    _write_error(format_error(error, strip_guest_frames(error, tb)))


def show_uncaught(error, tb):
    """Calls the program's `sys.excepthook`, and stands in for it where it fails, as the interpreter does."""
    if not hasattr(sys, "excepthook"):
        _write_error("sys.excepthook is missing\n")
        return _print_exception(type(error), error, tb)
    try:
        return sys.excepthook(type(error), error, tb)
    except BaseException as failure:
        failure.__context__ = None
        shown = format_error(failure, strip_guest_frames(failure, failure.__traceback__))
        _write_error(f"Error in sys.excepthook:\n{shown}\nOriginal exception was:\n")
        return _print_exception(type(error), error, tb)


def _print_thread_exception(args):
    if args.exc_type is SystemExit:
        return
    name = args.thread.name if args.thread is not None else "<unknown>"
    text = format_error(args.exc_value, args.exc_traceback)
    _write_error(f"Exception in thread {name}:\n{text}")


def _print_unraisable(args):
    try:
        subject = f": {args.object!r}" if args.object is not None else ""
    except BaseException:
        subject = f": <{type(args.object).__name__} whose repr() failed>"
    text = format_error(args.exc_value, args.exc_traceback)
    _write_error(f"{args.err_msg or 'Exception ignored in'}{subject}\n{text}")


def _hide_guest_frames():
    original = traceback.walk_stack

    def walk_stack(frame):
        start = frame if frame is not None else sys._getframe(1)
        for found, line in original(start):
            if found.f_code.co_filename.startswith(GUEST_DIR):
                if found.f_code is not walk_stack.__code__:
                    return
            else:
                yield found, line

    traceback.walk_stack = walk_stack


def install_hooks(threading):
    """
    Replaces Python's own printers of uncaught errors, which read source lines from disk only.

    The program may replace them again, and finds these ones where it looks for the originals.
    """
    _hide_guest_frames()
    sys.excepthook = sys.__excepthook__ = _print_exception
    sys.unraisablehook = sys.__unraisablehook__ = _print_unraisable
    threading.excepthook = threading.__excepthook__ = _print_thread_exception
