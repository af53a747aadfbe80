/**
 * What boxes have shown, kept in the folder of Belay's own data: what a model is told of commands before it asks for one is
 * known at once, without a box being tried for it.
 *
 * Guarantees: nothing is confined or allowed by it, since whether a command is confined is tried in the process that runs
 * it; what was shown with other programs, or on another system, does not count. What cannot be read or written is tried.
 */
import { ReplaceFile } from "@belay/machine"
import * as fs from "node:fs"
import * as path from "node:path"
import type { State } from "../../tool/Confinement.ts"

/** The states of workspaces, as a box of this version showed them last. */
export interface ShownStates {
  readonly of: (workspace: string, version: string) => State | undefined
  readonly keep: (workspace: string, version: string, state: State) => void
}

/** So many workspaces are kept; the one that was tried first goes. */
const most = 200

type Entries = Readonly<Record<string, { readonly version: string; readonly state: State }>>

const isState = (value: any): value is State =>
  (value?._tag === "Confined" && (value.by === "bubblewrap" || value.by === "seatbelt")) ||
  (value?._tag === "Unavailable" && typeof value.reason === "string")

const read = (file: string): Entries => {
  try {
    const found: Record<string, any> = JSON.parse(fs.readFileSync(file, "utf8"))
    return Object.fromEntries(Object.entries(found).filter(([, entry]) => isState(entry?.state)))
  } catch {
    return {}
  }
}

const write = (file: string, entries: Entries): void => {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    ReplaceFile.write(file, JSON.stringify(entries), { mode: 0o600 })
  } catch {
    // It is tried again the next time.
  }
}

/** `directory`: of our own data, absolute; without one nothing is kept. Nothing is kept before that folder is there. */
export const make = (directory?: string): ShownStates => {
  const file = directory === undefined ? undefined : path.join(directory, "cache", "sandbox.json")
  return {
    of: (workspace, version) => {
      const found = file === undefined ? undefined : read(file)[workspace]
      return found?.version === version ? found.state : undefined
    },
    keep: (workspace, version, state) => {
      if (file === undefined || !fs.existsSync(path.dirname(path.dirname(file)))) return
      const { [workspace]: before, ...others } = read(file)
      if (before !== undefined && JSON.stringify(before) === JSON.stringify({ version, state })) return
      const kept = Object.entries(others).slice(1 - most)
      write(file, { ...Object.fromEntries(kept), [workspace]: { version, state } })
    }
  }
}
