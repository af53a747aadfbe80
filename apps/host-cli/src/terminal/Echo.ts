/**
 * Whether the terminal shows what is typed: not while its last lines are replaced in place, since an Enter would move them.
 *
 * Only a process in the foreground changes it: one in the background would be stopped for that. When this process ends,
 * what is typed is shown again; after a kill the shell sees to it.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { isatty } from "node:tty"

/** The group of this process and that which has the terminal, as the system prints them. */
const groups = (): ReadonlyArray<string> => {
  if (process.platform === "linux") {
    // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const stat = readFileSync("/proc/self/stat", "latin1")
    const [, , group = "", , , foreground = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return [group, foreground]
  }
  if (process.platform !== "darwin") return []
  const said = spawnSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" })
  return (said.stdout ?? "").trim().split(/\s+/)
}

const isInForeground = (): boolean => {
  try {
    const [group, foreground] = groups()
    return group !== undefined && group !== "" && group === foreground
  } catch {
    return false
  }
}

const set = (is: "echo" | "-echo"): boolean => {
  if (!isatty(0) || !isInForeground()) return false
  return spawnSync("stty", [is], { stdio: ["inherit", "ignore", "ignore"] }).status === 0
}

let state: "shown" | "hidden" | "refused" = "shown"

export const show = (): void => {
  if (state === "hidden") {
    process.off("exit", show)
    set("echo")
  }
  state = "shown"
}

/** What was refused is not tried again before `show`. */
export const hide = (): void => {
  if (state !== "shown") return
  state = set("-echo") ? "hidden" : "refused"
  if (state === "hidden") process.on("exit", show)
}
