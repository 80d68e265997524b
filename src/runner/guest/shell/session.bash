# Sourced instead of the preludes for a call of a session: brings back what the calls before have left, and notes at the
# end of the main shell what this one leaves. Descriptors: 105 takes the state, 106 has that of the calls before, 107 what
# this call brings; 108 is for what would else need a fork to be read.
builtin set +e
__hourglass_folder=/sandbox
__hourglass_options='builtin set -e'
__hourglass_arguments=()

builtin source "${BASH_ENV%/*}/prelude-trap.bash"
builtin source /dev/fd/106 2>/dev/null
__hourglass_result="${result[@]@A}"
builtin source /dev/fd/107 2>/dev/null
builtin exec 106<&- 107<&-

# Back to where the call before was; it may be gone.
_() {
  builtin cd -- "$__hourglass_folder" || builtin cd /sandbox
  if [[ -v __hourglass_before ]]; then
    OLDPWD=$__hourglass_before
  else
    builtin unset OLDPWD
  fi
  builtin unset -f _
}

# As in the prelude, but `result` counts only where this call has set it: where it is not what it was, or the program's text
# assigns it.
__hourglass_write() {
  local __hourglass_count=${#result[@]} __hourglass_attributes=${result@a} __hourglass_now="${result[@]@A}"
  if ((!__hourglass_assigns)) && [[ $__hourglass_now == "$__hourglass_result" ]]; then
    __hourglass_count=0
    __hourglass_attributes=
  fi
  {
    builtin printf '%s\0' "$__hourglass_line" "$__hourglass_command" "$__hourglass_attributes" "$__hourglass_count"
    ((__hourglass_count == 0)) || builtin printf '%s\0' "${!result[@]}" "${result[@]}"
  } >&100
  __hourglass_save
}

__hourglass_capture_again() {
  local -
  builtin set +uxvnC
  __hourglass_write
}

# The state is that of the main shell: where a function ends it, what is local there is not in the way.
__hourglass_save() {
  if ((${#__hourglass_locals[@]} == 0)); then
    __hourglass_save_all
  else
    (
      builtin unset -v "${__hourglass_locals[@]}"
      __hourglass_save_all
    )
  fi
}

# Writes commands that make the next call's shell what this one is. The last line says that nothing is missing.
__hourglass_save_all() {
  local __hourglass_all __hourglass_name __hourglass_names=()
  [[ -n $__hourglass_options ]] || builtin return
  builtin compgen -A variable >/dev/fd/108 || builtin return
  builtin mapfile -t __hourglass_all </dev/fd/108
  for __hourglass_name in "${__hourglass_all[@]}"; do
    case $__hourglass_name in
      [!A-Za-z_]* | __hourglass_* | HOURGLASS_* | BASH* | _ | COMP_WORDBREAKS | DIRSTACK | EPOCHREALTIME | EPOCHSECONDS) ;;
      EUID | FUNCNAME | GROUPS | HISTCMD | LINENO | OLDPWD | PIPESTATUS | PPID | PWD | RANDOM | SECONDS) ;;
      SHELLOPTS | SHLVL | SRANDOM | UID) ;;
      *) __hourglass_names+=("$__hourglass_name") ;;
    esac
  done
  {
    # What functions need to be read, and no aliases while they are.
    builtin printf 'builtin shopt -s extglob\nbuiltin shopt -u expand_aliases\n'
    builtin declare -p -- "${__hourglass_names[@]}"
    for __hourglass_name in "${__hourglass_environment[@]}"; do
      [[ -v $__hourglass_name ]] || builtin printf 'builtin unset -v %s\n' "$__hourglass_name"
    done
    __hourglass_save_functions
    builtin alias -p
    builtin umask -p
    builtin printf '__hourglass_options=%q\n__hourglass_folder=%q\n' "$__hourglass_options" "$PWD"
    [[ ! -v OLDPWD ]] || builtin printf '__hourglass_before=%q\n' "$OLDPWD"
    builtin printf '__hourglass_arguments=('
    ((${#__hourglass_arguments[@]} == 0)) || builtin printf ' %q' "${__hourglass_arguments[@]}"
    builtin printf ')\n'
    builtin printf '\n# whole\n'
  } >/dev/fd/105
}

__hourglass_save_functions() {
  local __hourglass_all __hourglass_name __hourglass_line
  builtin declare -F >/dev/fd/108
  builtin mapfile -t __hourglass_all </dev/fd/108
  for __hourglass_line in "${__hourglass_all[@]}"; do
    __hourglass_name=${__hourglass_line##* }
    case $__hourglass_name in
      __hourglass_* | _ | hourglass | trap) continue ;;
    esac
    builtin declare -f -- "$__hourglass_name"
    # Exported, traced or read-only.
    [[ $__hourglass_line == 'declare -f '* ]] || builtin printf 'builtin %s\n' "$__hourglass_line"
  done
}

# Options and handlers are noted before anything of ours changes them.
__hourglass_first='{
  __hourglass_status=$?
  __hourglass_options=
  { builtin shopt -p; builtin trap -p {1..31} {34..64} DEBUG RETURN ERR; builtin set +o; } >|/dev/fd/108 || builtin :
  builtin read -rd "" __hourglass_options </dev/fd/108 || builtin :
  __hourglass_locals=()
  if [[ -z ${FUNCNAME-} ]]; then
    __hourglass_arguments=("$@")
  else
    builtin mapfile -t __hourglass_all < <(builtin compgen -A variable)
    for __hourglass_name in "${__hourglass_all[@]}"; do
      ! builtin local -p "$__hourglass_name" || __hourglass_locals+=("$__hourglass_name")
    done
  fi
  builtin trap - ERR DEBUG
  __hourglass_capture
} >/dev/null 2>&1'
builtin trap "$__hourglass_first" EXIT
