"""Inputs as environment variables of a shell program."""

import json
import re

from report import clean_text

# The kernel refuses to execute anything with an environment string of 128 KiB or more.
MAX_STRING_BYTES = 128 * 1024 - 1
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# All inputs together; what a program starts inherits them, and has arguments besides.
MAX_TOTAL_BYTES = 1 << 20
# What is said of inputs one by one has to fit into the frame that ends the run.
MAX_WARNINGS = 50

# Names that the loader, the shell or the interpreters and tools of the image obey. An input of such a name reaches the
# program in the file $HOURGLASS_INPUTS only.
STEERING_PREFIXES = (
    *("BASH", "LD_", "LC_", "GLIBC_", "MALLOC_", "PYTHON", "NODE_", "NPM_", "PERL", "HOURGLASS", "COMP_"),
    *("OPENBLAS_", "OMP_", "MKL_", "NUMEXPR_", "MPL", "SSL_CERT_", "OPENSSL_"),
)
STEERING_NAMES = frozenset(
    "PATH HOME SHELL TMPDIR TEMP TMP PWD OLDPWD LANG LANGUAGE TZ TZDIR LOCPATH NLSPATH IFS ENV SHELLOPTS SHLVL "
    "PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND PROMPT_DIRTRIM CDPATH GLOBIGNORE EXECIGNORE FIGNORE POSIXLY_CORRECT "
    "UID EUID PPID GROUPS DIRSTACK FUNCNAME LINENO PIPESTATUS RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME "
    "OPTIND OPTARG OPTERR HISTFILE HISTCMD HISTCONTROL TMOUT INPUTRC CHILD_MAX TIMEFORMAT _ "
    "GCONV_PATH HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_HOST_CONF GETCONF_DIR "
    "AWKPATH AWKLIBPATH GREP_OPTIONS TAR_OPTIONS GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS ZIPOPT UNZIP BC_ENV_ARGS "
    "LESSOPEN LESSCLOSE LESSKEY PAGER EDITOR VISUAL MAGIC".split()
)


def as_text(value):
    """One input as text: strings as they are, null empty, everything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _refusal(name, value, total):
    if name in STEERING_NAMES or name.startswith(STEERING_PREFIXES):
        return "steers the shell or what it starts"
    if not _VARIABLE_NAME.fullmatch(name):
        return "is not the name of an environment variable"
    if b"\0" in value:
        return "holds a NUL character, which no environment variable can"
    if len(name) + 1 + len(value) >= MAX_STRING_BYTES:
        return "is too large for an environment variable"
    if total + len(name) + 2 + len(value) > MAX_TOTAL_BYTES:
        return "does not fit beside the other inputs"
    return None


def input_variables(inputs):
    """Environment variables by name, and warnings that name the inputs that cannot be one, the first of many."""
    variables, warnings, refused, total = {}, [], 0, 0
    for name, value in inputs.items():
        data = clean_text(as_text(value)).encode("utf-8")
        refusal = _refusal(name, data, total)
        if refusal is None:
            variables[name] = data
            total += len(name) + 2 + len(data)
            continue
        refused += 1
        if refused <= MAX_WARNINGS:
            warnings.append(f"input {name} {refusal}: it is in the file $HOURGLASS_INPUTS only")
    if refused > MAX_WARNINGS:
        more = refused - MAX_WARNINGS
        warnings.append(f"{more} more inputs cannot be environment variables: they are in the file $HOURGLASS_INPUTS only")
    return variables, warnings
