# Sourced by bash before the user's program (BASH_ENV). Defines what notes the variable `result` at the end of the
# main shell, and the line of the command that ended it. Commands that the program starts see nothing of this.
builtin unset BASH_ENV

# First word of the program's first line: the program is opened from our folder, so that $0 and BASH_SOURCE are the
# plain name main.sh and `dirname` of it is the working directory.
_() {
  builtin cd /sandbox
  builtin unset OLDPWD
  builtin unset -f _
}

# Notes where the shell ended and `result`. Returns the status the shell exits with.
# errexit stays off: an exit handler of the user's comes next and must see that status without being ended by it.
__hourglass_capture() {
  builtin set +e
  local -
  builtin set +uxvnC
  __hourglass_line=
  __hourglass_command=
  [[ $__hourglass_status == 0 || ${BASH_SOURCE[1]} != main.sh ]] || __hourglass_command=$BASH_COMMAND
  if [[ $__hourglass_status == 0 ]]; then
    builtin :
  elif [[ ${FUNCNAME[1]} != main ]]; then
    # Inside a function only the line of its call is known.
    [[ ${BASH_SOURCE[2]} != main.sh ]] || __hourglass_line=${BASH_LINENO[1]}
  elif [[ $__hourglass_error == *":$__hourglass_status:main.sh" && $BASH_COMMAND != exit* ]]; then
    __hourglass_line=${__hourglass_error%%:*}
    __hourglass_command=
  fi
  __hourglass_write
  return "$__hourglass_status"
}

# Reports line, last command where the line may be unknown, attributes, count, keys and values, each ended by NUL.
# To a pipe: what the program does to files, or a full disk, must not cost it its result.
__hourglass_write() {
  {
    builtin printf '%s\0' "$__hourglass_line" "$__hourglass_command" "${result@a}" "${#result[@]}"
    ((${#result[@]} == 0)) || builtin printf '%s\0' "${!result[@]}" "${result[@]}"
  } >&100
}

# What a program says of itself while it runs; a line of JSON each, in one write.
hourglass() {
  local __hourglass_json
  case ${1-} in
    checkpoint)
      # shellcheck disable=SC2119
      __hourglass_json=$(jq -cs 'if length == 1 then .[0] else error("one JSON value, please") end' <<<"${2-$(cat)}") || return
      if ((${#__hourglass_json} > 2048)); then
        builtin printf 'hourglass: a checkpoint has at most 2048 characters as JSON, this one has %s\n' "${#__hourglass_json}" >&2
        return 1
      fi
      builtin printf '{"checkpoint":%s}\n' "$__hourglass_json" >&101
      ;;
    progress)
      __hourglass_json=$(jq -cn --arg at "${2-}" --arg words "${3-}" '($at | tonumber) as $at
        | if $at < 0 or $at > 1 then error("progress is a number from 0 to 1, not \($at)") else [$at, if $words == "" then null else $words[:200] end] end') || return
      builtin printf '{"progress":%s}\n' "$__hourglass_json" >&101
      ;;
    last-checkpoint)
      [[ -v HOURGLASS_LAST_CHECKPOINT ]] || return
      builtin printf '%s\n' "$HOURGLASS_LAST_CHECKPOINT"
      ;;
    *)
      builtin printf '%s\n' 'usage: hourglass checkpoint [JSON] | progress FRACTION [MESSAGE] | last-checkpoint' >&2
      return 64
      ;;
  esac
}

__hourglass_error=
# What stands in front of every exit handler. Handlers of the user's for errors and for debugging do not see it, and
# no trace of it is printed.
__hourglass_first='{ __hourglass_status=$?; builtin trap - ERR DEBUG; __hourglass_capture; } >/dev/null 2>&1'
builtin trap "$__hourglass_first" EXIT
builtin trap '__hourglass_error="$LINENO:$?:$BASH_SOURCE"' ERR
