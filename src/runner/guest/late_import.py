"""Modules of the guest's own that few guests need, loaded when they are."""

import importlib
import sys

from places import GUEST_DIR


def import_guest(name):
    """A module of ours, also where our folder has left the import path because programs must not find it there."""
    sys.path.insert(0, GUEST_DIR)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(GUEST_DIR)
