/**
 * What a confined command may use up: 4,096 processes of its user in the box, files of 16 GiB, 16 GiB of data for each
 * process, no core dumps. Stricter limits of the host stay. Files that Belay itself was given open are closed.
 */
const limits: ReadonlyArray<string> = ["-c 0", "-u 4096", "-f 16777216", "-d 16777216"]

// Before any redirection: bash keeps what that replaces in a descriptor of its own, which this would close.
const closing = 'for fd in /dev/fd/*; do fd=${fd##*/}; if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done'

const limiting = [closing, ...limits.map((limit) => `ulimit ${limit} 2>/dev/null`)]

/** The arguments of bash that set the limits, run `before` under them and become `program`. */
export const under = (
  program: string,
  args: ReadonlyArray<string>,
  before: ReadonlyArray<string> = []
): ReadonlyArray<string> => [
  "--noprofile",
  "--norc",
  "-p",
  "-c",
  [...limiting, ...before, 'exec "$0" "$@"'].join("; "),
  program,
  ...args
]
