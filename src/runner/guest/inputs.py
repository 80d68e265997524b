"""The inputs of a program: `inputData`, and the text of files that have a variable name."""

import json
import os

from places import SANDBOX


class InputError(Exception):
    """An input that cannot be given to the program; `path` names its file."""

    def __init__(self, path, message):
        super().__init__(message)
        self.path = path


def read_text(name, path):
    """Text of a staged file, exactly as it is; raises InputError where it is not UTF-8."""
    try:
        with open(os.path.join(SANDBOX, path), "rb") as file:
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"file {path} cannot be the text of {name}: {error}") from None


def load_inputs(data, file_variables):
    """All inputs by name, in the order in which they were sent."""
    inputs = json.loads(data) if data else {}
    for name, path in file_variables.items():
        inputs[name] = read_text(name, path)
    return inputs
