/**
 * The names in a workspace, for completion: nothing that is ignored, or whose name has control characters. No file is
 * read, and links are named and not followed. Names of files that may hold secrets are among them: that is the policy's.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Walk from "./Walk.ts"

// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u

/** Relative to the workspace with `/`, folders with one at their end, the nearest to its top first; 20,000 at most. */
export const of = (workspace: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.suspend(() => {
    const names: Array<string> = []
    const onEntry: Walk.Options["onEntry"] = (file, entry) => {
      const name = path.relative(workspace, file).replaceAll(path.sep, "/")
      if (control.test(name)) return false
      names.push(entry.isDirectory() ? `${name}/` : name)
      return true
    }
    return Effect.as(Walk.walk({ top: workspace, workspace, recursive: true, onEntry }), names)
  })
