"""The report of a language runtime: one line of JSON, then the result's JSON (docs/protocol.md)."""

import json
import os
import re
from dataclasses import dataclass, field

MAX_WARNINGS = 50
MAX_WARNING = 1000
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text):
    """Text without lone surrogates, which no UTF-8 and no JSON parser of the host would take."""
    return _SURROGATE.sub("\ufffd", text)


@dataclass
class Report:
    """What a program has to say beside its output; `result` is JSON as bytes, or None."""

    result: bytes | None = None
    source: str | None = None
    error: dict | None = None
    warnings: list = field(default_factory=list)

    def fail(self, code, kind, message, line=None, traceback=None):
        """Sets the error; the result no longer counts."""
        self.note(code, kind, message, line, traceback)
        self.result = None
        self.source = None

    def note(self, code, kind, message, line=None, traceback=None):
        """Sets the error beside a result that still counts."""
        error = {"code": code, "type": clean_text(kind), "message": clean_text(message)}
        if line is not None:
            error["line"] = line
        if traceback is not None:
            error["traceback"] = clean_text(traceback)
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
        return json.dumps(header, separators=(",", ":")).encode("ascii") + b"\n" + (self.result or b"")


def write_all(fd, data):
    """Writes everything to a descriptor that may take it in parts."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
