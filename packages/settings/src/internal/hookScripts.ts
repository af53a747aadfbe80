/** The files that hooks of a project run: whoever trusts its settings trusts these. */
import { HookScripts } from "@belay/tool-executor/hooks"
import { lstatSync } from "node:fs"
import * as path from "node:path"

const commandsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  return "command" in value && typeof value.command === "string"
    ? [value.command]
    : Object.values(value).flatMap(commandsIn)
}

/** What is too long to be a name is a text of the line. */
const isThere = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENAMETOOLONG") return false
    throw cause
  }
}

/** The files that hooks of these settings run, relative to the workspace; one that is not there has no content. */
export const scriptsOf = (settings: string | undefined, workspace: string): ReadonlyArray<string> => {
  if (settings === undefined) return []
  let value: unknown
  try {
    value = JSON.parse(settings)
  } catch {
    // Whoever reads the settings says so.
    return []
  }
  const hooks = typeof value === "object" && value !== null && "hooks" in value ? value.hooks : undefined
  const names = new Set(commandsIn(hooks).flatMap((command) => HookScripts.named(command, workspace)))
  return [...names].filter((name) => isThere(path.join(workspace, name)))
}
