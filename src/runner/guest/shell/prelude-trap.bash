# Sourced instead of prelude.bash where the program sets an exit handler of its own: both handlers have to run.
builtin source "${BASH_ENV%/*}/prelude.bash"

# What stands behind an exit handler of the user's, which may set `result`. An exit in the handler leaves it out.
__hourglass_last='{ __hourglass_capture_again; } >/dev/null 2>&1'

__hourglass_capture_again() {
  local -
  builtin set +uxvnC
  ((${#result[@]} == 0)) || __hourglass_write
}

# `trap` as bash has it, but the capture of `result` stays in front of an exit handler.
trap() {
  { local -; builtin set +x; } 2>/dev/null
  # Traps of a subshell are its own; nothing is captured there.
  if ((BASHPID != $$)) && [[ ${1-} != -p && $# -gt 0 ]]; then
    builtin trap "$@"
    return
  fi
  if [[ ${1-} == -l ]]; then
    builtin trap -l
    return
  fi
  if (($# == 0)) || [[ $1 == -p ]]; then
    __hourglass_list_traps "${@:2}"
    return
  fi
  [[ $1 != -- ]] || shift
  local __hourglass_action=- __hourglass_signal
  if (($# > 1)) && [[ ! $1 =~ ^[0-9]+$ ]]; then
    __hourglass_action=$1
    shift
  fi
  for __hourglass_signal; do
    __hourglass_set_trap "$__hourglass_action" "$__hourglass_signal"
  done
}

__hourglass_set_trap() {
  case ${2^^} in
    EXIT | SIGEXIT | 0)
      case $1 in
        - | '')
          unset __hourglass_exit
          builtin trap "$__hourglass_first" EXIT
          ;;
        *)
          __hourglass_exit=$1
          builtin trap "$__hourglass_first"$'\n'"$1"$'\n'"$__hourglass_last" EXIT
          ;;
      esac
      ;;
    ERR | DEBUG | RETURN)
      # A reset inside a function is undone at the function's end; a handler that does nothing is not.
      [[ $1 != - ]] || set -- : "$2"
      builtin trap -- "$1" "$2"
      ;;
    *) builtin trap -- "$1" "$2" ;;
  esac
}

__hourglass_list_traps() {
  local __hourglass_signal
  (($# > 0)) || set -- EXIT {1..64} DEBUG RETURN
  for __hourglass_signal; do
    case ${__hourglass_signal^^} in
      EXIT | SIGEXIT | 0)
        [[ ! -v __hourglass_exit ]] || builtin printf "trap -- %s EXIT\n" "${__hourglass_exit@Q}"
        ;;
      *) builtin trap -p "$__hourglass_signal" 2>/dev/null || : ;;
    esac
  done
}
