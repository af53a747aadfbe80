/** A history whose write lock another process has. */
import { Effect } from "effect"
import { join } from "node:path"
import { run } from "./processes.ts"

export const fileOf = (directory: string) => join(directory, "belay.db")

/** Another process that keeps the write lock until `release`. */
export const locked = (directory: string) =>
  Effect.gen(function* () {
    const holder = yield* run("hold", [fileOf(directory)])
    yield* holder.line("locked")
    return Effect.andThen(
      Effect.sync(() => holder.child.stdin?.write("go\n")),
      holder.ended
    )
  })
