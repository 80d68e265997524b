"""The report of a language runtime: one line of JSON, then the result's JSON (docs/protocol.md)."""

import json
import os
import re

MAX_WARNINGS = 50
MAX_WARNING = 1000
# Texts of an error in characters: with the warnings they fit into the header line that the host takes, also where each
# character needs six bytes.
MAX_TYPE = 500
MAX_MESSAGE = 8000
MAX_TRACEBACK = 24000
# Made here: a program may replace functions of `json`.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text):
    """Text without lone surrogates, which no UTF-8 and no JSON parser of the host would take."""
    return _SURROGATE.sub("\ufffd", text)


def cut_middle(text, limit):
    """The text, or its beginning and its end where it has more than `limit` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2 - 20
    return f"{text[:half]}\n... [truncated] ...\n{text[-half:]}"


class Report:
    """What a program has to say beside its output; `result` is JSON as bytes, or None."""

    def __init__(self):
        self.result = None
        self.source = None
        self.error = None
        self.warnings = []

    def fail(self, code, kind, message, line=None, traceback=None):
        """Sets the error; the result no longer counts."""
        self.note(code, kind, message, line, traceback)
        self.result = None
        self.source = None

    def note(self, code, kind, message, line=None, traceback=None):
        """Sets the error beside a result that still counts."""
        shown = clean_text(cut_middle(message, MAX_MESSAGE))
        error = {"code": code, "type": clean_text(kind[:MAX_TYPE]), "message": shown}
        if line is not None:
            error["line"] = line
        if traceback is not None:
            error["traceback"] = clean_text(cut_middle(traceback, MAX_TRACEBACK))
        self.error = error

    def encode(self):
        """The bytes for the host."""
        warnings = [clean_text(text)[:MAX_WARNING] for text in self.warnings[:MAX_WARNINGS]]
        header = {
            "v": 1,
            "hasResult": self.result is not None,
            "source": self.source,
            "error": self.error,
            "warnings": warnings,
        }
        line = _ENCODER.encode(header).encode("utf-8")
        return line + b"\n" + (self.result or b"")


def write_all(fd, data):
    """Writes everything to a descriptor that may take it in parts."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
