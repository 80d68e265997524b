"""The inputs of a program: `inputData`, and the text of files that have a variable name."""

import json
import os

from places import SANDBOX

# The last expression of a Python program is assigned to this.
VALUE_NAME = "__hourglass_value__"
# Globals that the Python interpreter itself needs: inputs of these names are in `inputs` only.
_RESERVED_NAMES = frozenset(
    "__builtins__ __name__ __file__ __doc__ __package__ __loader__ __spec__ __annotations__ __cached__ __import__".split()
) | {VALUE_NAME}


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


def usable_as_globals(inputs):
    """The inputs that a Python program also finds as its globals."""
    return {name: value for name, value in inputs.items() if name not in _RESERVED_NAMES}
