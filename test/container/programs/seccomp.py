"""Calls every system call of the input with harmless arguments; the result maps each name to its errno."""
import ctypes
import errno
import platform

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[platform.machine()]


def call(numbers, arguments):
    number = numbers[column]
    if number is None:
        return "EPERM"  # This architecture does not have it.
    ctypes.set_errno(0)
    returned = libc.syscall(number, *[ctypes.c_long(argument) for argument in arguments])
    return errno.errorcode.get(ctypes.get_errno(), "?") if returned == -1 else "allowed"


result = {name: call(numbers, arguments) for name, numbers, arguments in calls}
