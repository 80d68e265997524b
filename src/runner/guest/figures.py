"""Saves the figures that a program left open in matplotlib."""

import os
import sys
import warnings

from places import FIGURES, MAX_FIGURES


def save_figures(closes=False):
    """
    Writes figure-1.png, ... in order of figure number; returns warnings, one for each that failed.

    `closes`: those that were saved, so that they do not come again with the next call of a session.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    notes = []
    try:
        numbers = pyplot.get_fignums()
    except BaseException as error:
        return [f"figures could not be saved: {_describe(error)}"]
    if len(numbers) > MAX_FIGURES:
        notes.append(f"{len(numbers)} figures are open; the first {MAX_FIGURES} are saved")
    for index, number in enumerate(numbers[:MAX_FIGURES], start=1):
        path = f"{FIGURES}/figure-{index}.png"
        try:
            notes += _save(pyplot.figure(number), path)
            if closes:
                pyplot.close(number)
        except BaseException as error:
            notes.append(f"figure {number} could not be saved: {_describe(error)}")
            _remove(path)
    return list(dict.fromkeys(notes))


def forget_figures():
    """Removes the files of an earlier call's figures."""
    for index in range(1, MAX_FIGURES + 1):
        _remove(f"{FIGURES}/figure-{index}.png")


def _save(figure, path):
    """Saves one figure; what matplotlib warns of (a missing glyph, say) is returned and not printed with a line of ours."""
    with warnings.catch_warnings(record=True) as caught:
        figure.savefig(path, format="png")
    return [str(warning.message)[:300] for warning in caught]


def _describe(error):
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except BaseException:
        return type(error).__name__


def _remove(path):
    try:
        os.unlink(path)
    except OSError:
        pass
