/**
 * What outlives this process by a moment: it ends the groups that this process has left when it is killed.
 *
 * One small shell in a session of its own, started with the first group, reads their numbers from a pipe that nobody
 * else has. When this process is gone, whatever ended it, the pipe ends, and what was not taken back is killed; then a
 * file says when that was, where one was asked for. On Linux what has left its group ends, too, as far as `Strays` finds
 * it. POSIX only; without `/bin/sh` there is none.
 */
import * as childProcess from "node:child_process"
import type { Socket } from "node:net"
import * as Strays from "./Strays.ts"

const script = `trap '' HUP INT TERM
groups=' '
stamp=
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
    @) stamp=$group ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
PATH=/usr/bin:/bin
for again in 1 2 3; do
  for file in $(grep -lsF "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done
if [ -n "$stamp" ]; then : > "$stamp"; fi`

const start = (): Socket | undefined => {
  const child = childProcess.spawn("/bin/sh", ["-c", script, "belay-survivor", `${Strays.variable}=${Strays.own}`], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
    detached: true
  })
  const pipe = child.stdin as Socket
  const forget = () => {
    if (survivor === pipe) survivor = undefined
  }
  child.once("error", forget)
  child.once("exit", forget)
  pipe.on("error", forget)
  // It keeps nobody from ending.
  child.unref()
  pipe.unref()
  return pipe
}

let survivor: Socket | undefined

/** Has it ready before there is a group. */
export const prepare = (): void => {
  if (process.platform !== "win32") survivor ??= start()
}

export const add = (group: number): void => void survivor?.write(`+ ${group}\n`)

export const remove = (group: number): void => void survivor?.write(`- ${group}\n`)

/** An absolute path: this file is made when this process has gone and its groups have ended. None takes that back. */
export const stamp = (file: string | undefined): void => {
  prepare()
  survivor?.write(`@ ${file ?? ""}\n`)
}
