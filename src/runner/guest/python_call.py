"""One call of a Python session: a program whose interpreter goes on after it."""

import json
import os
import sys

from figures import forget_figures
from inputs import VALUE_NAME, usable_as_globals
from opcode import EXTENDED_ARG, opmap
from places import FIGURES
from python_namespace import OwnBuiltins, open_stdin
from python_program import EXIT_ERROR, OWN_BUILTINS, PythonProgram, flush
from python_source import name_of_call
from tracebacks import show_uncaught

_DECODER = json.JSONDecoder()
_NO_STDIN = os.devnull
_RESULT = "result"
_STORES = frozenset((opmap["STORE_NAME"], opmap["STORE_GLOBAL"]))


class PythonCall(PythonProgram):
    """
    What differs from a program that is alone: it finds variables and leaves them.

    The variable `result` counts where this call has set it: where it is another object than before, or where a statement at
    the top level assigns it.
    """

    is_call = True

    def __init__(self, spec, code, inputs_json, job):
        super().__init__(spec, code, inputs_json, None)
        self.file_name = name_of_call(spec["call"])
        # What `multiprocessing` runs again in processes that it starts anew.
        self._job = job
        self._result_before = self
        self._assigns_result = False

    def run(self, namespace):
        """Runs the call in a namespace; returns exit code and report."""
        self._pid = os.getpid()
        exit_code = EXIT_ERROR
        try:
            with OWN_BUILTINS:
                code = self._prepare(namespace)
            if code is not None:
                exit_code = self._execute(code, namespace)
        except BaseException as error:
            show_uncaught(error, error.__traceback__)
            error = None
        with OWN_BUILTINS:
            return self._end(namespace, exit_code)

    def _prepare(self, namespace):
        self._open_stdin()
        if self._spec["figures"]:
            os.makedirs(FIGURES, mode=0o700, exist_ok=True)
            forget_figures()
        namespace.pop(VALUE_NAME, None)
        hourglass = sys.modules.get("hourglass")
        if hasattr(hourglass, "last_checkpoint"):
            hourglass.last_checkpoint = self._last_checkpoint()
        # As an input of that name is, too, the variable is this call's own.
        self._result_before = namespace.get(_RESULT, self)
        code, inputs = self._load()
        if code is not None:
            self._assigns_result = _stores_result(code)
            namespace["inputs"] = inputs
            namespace.update(usable_as_globals(inputs))
        return code

    def _last_checkpoint(self):
        text = self._spec["checkpoint"]
        return None if text is None else _DECODER.decode(text)

    def _open_stdin(self):
        try:
            fd = os.open(self._spec["stdin"], os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            fd = os.open(_NO_STDIN, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(fd, 0)
        os.close(fd)
        if sys.stdin is sys.__stdin__:
            sys.stdin = sys.__stdin__ = open_stdin()

    def _teach(self, job):
        self._job.update(job)

    def _end(self, namespace, exit_code):
        if os.getpid() != self._pid:
            # A fork of the program's that has come to its end.
            flush(sys.stdout), flush(sys.stderr)
            os._exit(exit_code)
        self._collect(namespace)
        namespace.pop(VALUE_NAME, None)
        flush(sys.stdout), flush(sys.stderr)
        return exit_code or int(self._report.error is not None), self._report.encode()

    def _name_of_value(self, namespace):
        if _RESULT not in namespace:
            return VALUE_NAME
        is_set = self._assigns_result or namespace[_RESULT] is not self._result_before
        return _RESULT if is_set else VALUE_NAME


def _stores_result(code):
    """Whether the top level assigns the name `result`."""
    if _RESULT not in code.co_names:
        return False
    wanted, argument, words = code.co_names.index(_RESULT), 0, code.co_code
    for at in range(0, len(words), 2):
        argument = argument << 8 | words[at + 1]
        if words[at] in _STORES and argument == wanted:
            return True
        if words[at] != EXTENDED_ARG:
            argument = 0
    return False
