/** A folder that is gone when the test is over. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const make = () => mkdtempSync(join(tmpdir(), "belay-history-"))

const remove = (directory: string) => rmSync(directory, { recursive: true, force: true })

export const temporary = Effect.acquireRelease(Effect.sync(make), (directory) => Effect.sync(() => remove(directory)))
