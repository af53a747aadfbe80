/** The command in a real tmux, installed where that is possible: a window of a server of its own. */
import { execFileSync, spawnSync } from "node:child_process"
import * as path from "node:path"
import { vi } from "vitest"
import { afterwards } from "./afterwards.ts"
import { needed } from "../../../../scripts/shared/debian.ts"
import * as Built from "./Built.ts"
import { bare, type Environment, folder } from "./cli.ts"
import type { Size } from "./Screen.ts"

/** Throws one plain line when there is none and none can be installed. */
export const install = (): void => needed("tmux", ["-V"], "tmux")

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Opens `belay` in a window of this size. */
export const open = (env: Environment, cwd: string, { columns, rows }: Size) => {
  const socket = path.join(folder(), "tmux")
  const tmux = (...args: ReadonlyArray<string>): string =>
    execFileSync("tmux", ["-f", "/dev/null", "-S", socket, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
  // The kind of terminal is tmux's own.
  const given = Object.entries({ ...bare, ...env }).filter(([name]) => name !== "TERM")
  const unset = given.flatMap(([name, value]) => (value === undefined ? ["-u", name] : []))
  const set = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  const command = ["env", ...unset, ...set, process.execPath, Built.entry("belay")].map(quoted).join(" ")
  const size = ["-x", String(columns), "-y", String(rows)]
  tmux("new-session", "-d", "-s", "one", "-c", cwd, ...size, command)
  tmux("set-option", "-g", "window-size", "manual")
  // Its socket is gone by then with its folder.
  const server = Number(tmux("display-message", "-p", "#{pid}"))
  afterwards(() => void spawnSync("kill", [String(server)]))
  /** Its scrollback and its screen, as lines. */
  const lines = (): ReadonlyArray<string> =>
    tmux("capture-pane", "-p", "-t", "one", "-S", "-", "-E", "-")
      .split("\n")
      .map((line) => line.trimEnd())
  return {
    lines,
    type: (text: string) => void tmux("send-keys", "-t", "one", "-l", text),
    key: (name: string) => void tmux("send-keys", "-t", "one", name),
    resize: (to: Size) => void tmux("resize-window", "-t", "one", "-x", String(to.columns), "-y", String(to.rows)),
    seen: async (fits: RegExp) => {
      await vi.waitUntil(() => fits.test(lines().join("\n")), { interval: 50, timeout: 200_000 })
    }
  }
}
