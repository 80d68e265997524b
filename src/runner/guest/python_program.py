"""A Python program from its text to its exit: runs in a fork of the guest."""

import atexit
import gc
import io
import os
import sys
import threading

from figures import save_figures
from inputs import VALUE_NAME, InputError, load_inputs
from pipes import REPORT_FD
from python_awaitables import is_promise, run_to_end
from python_namespace import (
    MAIN_FILE,
    OwnBuiltins,
    hide_guest,
    make_main,
    open_streams,
    seed_random,
    teach_multiprocessing,
)
from python_source import FILE_NAME, Unparsable, compile_source, decode_source, remember_lines
from report import Report, write_all
from serialiser import Limits, Unserialisable, to_json
from tracebacks import format_error, install_hooks, line_of, message_of, show_uncaught, strip_guest_frames

EXIT_ERROR = 1
_EXIT_INTERRUPTED = 130
# Finalisers that warn name the code that runs: `sys:1`, as at the end of CPython, not a line of ours.
_COLLECT = compile("gc.collect()", "sys", "exec")
# What CPython exits with where the last words of a program could not be written.
_EXIT_UNFLUSHED = 120
OWN_BUILTINS = OwnBuiltins()


class PythonProgram:
    """One program; `run` never returns."""

    file_name = FILE_NAME
    # Whether the interpreter goes on after it.
    is_call = False

    def __init__(self, spec, code, inputs_json, module):
        self._module = module
        self._spec = spec
        self._code = code
        self._inputs_json = inputs_json
        self._report = Report()
        # Whether the program ran to its end, was ended by itself, or failed: decides which result counts.
        self._ended = "failed"

    def run(self, own_modules, startup_modules):
        """Runs the program, reports and ends the process as CPython would."""
        self._pid = os.getpid()
        streams = open_streams()
        install_hooks(threading)
        seed_random()
        hide_guest(own_modules, startup_modules)
        exit_code = EXIT_ERROR
        try:
            code, module = self._prepare()
            if code is not None:
                exit_code = self._execute(code, module.__dict__)
            exit_code = self._conclude(module.__dict__, exit_code)
            module = None
        except BaseException as error:
            show_uncaught(error, error.__traceback__)
            error = None
        os._exit(_finish(streams, exit_code))

    def _prepare(self):
        module = make_main({}, self._module)
        code, inputs = self._load()
        return code, module if code is None else make_main(inputs, self._module)

    def _load(self):
        """Code and inputs; the code is None where the program cannot run, which is reported."""
        file_variables = self._spec["fileVariables"]
        try:
            text = decode_source(self._code, self.file_name)
            remember_lines(text, self.file_name, MAIN_FILE)
            self._teach({"source": text, "inputs": self._inputs_json, "fileVariables": file_variables})
            code = compile_source(text, self.file_name)
            return code, load_inputs(self._inputs_json, file_variables)
        except Unparsable as error:
            cause = error.cause
            shown = format_error(cause, None)
            print(shown, end="", file=sys.stderr)
            self._report.fail("SYNTAX_ERROR", type(cause).__name__, message_of(cause), cause.lineno, shown)
        except InputError as error:
            print(error, file=sys.stderr)
            self._report.fail("RUNTIME_ERROR", "InputError", str(error))
        return None, {}

    def _teach(self, job):
        teach_multiprocessing(job)

    def _execute(self, code, namespace):
        try:
            run_to_end(code, namespace, lambda: self._name_of_promise(namespace))
            self._ended = "whole"
            return 0
        except SystemExit as error:
            return self._on_exit(error)
        except BaseException as error:
            with OWN_BUILTINS:
                return self._on_error(error)

    def _name_of_promise(self, namespace):
        with OWN_BUILTINS:
            name = self._name_of_value(namespace)
            return name if is_promise(namespace.get(name)) else None

    def _on_exit(self, error):
        self._ended = "exited"
        status = error.code
        line = line_of(error, error.__traceback__, self.file_name)
        if status is None:
            return 0
        if isinstance(status, int):
            # What does not fit into a C long is -1, as in CPython.
            exit_code = status & 0xFF if -(2**63) <= status < 2**63 else 0xFF
            message = f"Program exited with code {exit_code}"
        else:
            exit_code = EXIT_ERROR
            message = message_of(error)
            print(message, file=sys.stderr)
        if exit_code:
            self._report.note("RUNTIME_ERROR", "SystemExit", message, line)
        return exit_code

    def _on_error(self, error):
        tb = strip_guest_frames(error, error.__traceback__)
        shown, line = format_error(error, tb), line_of(error, tb, self.file_name)
        self._report.fail("RUNTIME_ERROR", type(error).__name__, message_of(error), line, shown)
        show_uncaught(error, tb)
        return _EXIT_INTERRUPTED if isinstance(error, KeyboardInterrupt) else EXIT_ERROR

    def _conclude(self, namespace, exit_code):
        """Waits for threads, as the interpreter does at its end; then takes result and figures."""
        _guarded(threading._shutdown)
        if os.getpid() != self._pid:
            return exit_code
        with OWN_BUILTINS:
            self._tell(namespace)
        # An error that came with the result fails a program that went well until then.
        return exit_code or int(self._report.error is not None)

    def _tell(self, namespace):
        self._collect(namespace)
        try:
            write_all(REPORT_FD, self._report.encode())
            os.close(REPORT_FD)
        except OSError:
            # The program closed what it did not open; the guest says that the result is missing.
            pass

    def _collect(self, namespace):
        self._take_result(namespace)
        if self._spec["figures"]:
            self._report.warnings += save_figures(self.is_call)

    def _name_of_value(self, namespace):
        return "result" if "result" in namespace else VALUE_NAME

    def _take_result(self, namespace):
        name = self._name_of_value(namespace)
        explicit = name != VALUE_NAME
        if self._ended == "failed" or name not in namespace or (self._ended == "exited" and not explicit):
            return
        source = "variable" if explicit else "expression"
        limits = Limits(self._spec["jsonDepth"], self._spec["maxResultBytes"])
        try:
            self._report.result, notes = to_json(namespace[name], limits)
            self._report.source = source
            self._report.warnings += notes
        except Unserialisable as error:
            text = f"cannot be turned into JSON: {error}"
            if explicit:
                self._report.fail("RUNTIME_ERROR", error.kind, f"result {text}", *self._origin(error.cause))
            else:
                self._report.warnings.append(f"the value of the last expression {text}")

    def _origin(self, error):
        """Line and traceback of an error that the user's own code raised while its value was read; both None for others."""
        line = None if error is None else line_of(error, error.__traceback__, self.file_name)
        shown = None if line is None else format_error(error, strip_guest_frames(error, error.__traceback__))
        return line, shown



def _guarded(action):
    try:
        action()
    except BaseException as error:
        with OWN_BUILTINS:
            show_uncaught(error, error.__traceback__)


def _finish(streams, exit_code):
    """The end of the interpreter: exit handlers, finalisers of what the program still holds, buffers."""
    _guarded(atexit._run_exitfuncs)
    atexit._clear()
    for name in ("__main__", "__mp_main__"):
        sys.modules.pop(name, None)
    exec(_COLLECT)
    with OWN_BUILTINS:
        return exit_code if _flush_all(streams) else _EXIT_UNFLUSHED


def _flush_all(streams):
    """Whether the program's standard streams took what was buffered; other files take what they can."""
    flushed = all([flush(getattr(sys, name, None)) for name in ("stdout", "stderr")])
    for stream in streams:
        flush(stream)
    for leftover in gc.get_objects():
        if issubclass(type(leftover), (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            flush(leftover)
    return flushed


def flush(stream):
    try:
        # What a program puts in place of a stream need not have everything that a file has.
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()
    except BaseException:
        return False
    return True
