/**
 * What a confined command is surrounded by on every platform: what was there of protected names, said in the journal
 * before it starts, and put in order when nothing of it is left.
 *
 * Guarantees: no protected or secret name that appeared in the workspace meanwhile stays under that name, whether this
 * process ends the command or is killed; nothing is deleted. What ended processes have left is put in order first.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BoxJournal, Entry } from "./BoxJournal.ts"
import * as OwnWrites from "../paths/OwnWrites.ts"
import * as Placeholders from "./Placeholders.ts"
import * as ProtectedTree from "./ProtectedTree.ts"
import { SandboxError } from "./SandboxError.ts"

export interface Aftermath {
  readonly entry: Entry
  readonly before: ProtectedTree.ProtectedTree
  /** Absolute: empty folders of the host that hold the place of absent protected names. */
  readonly placeholders: ReadonlyArray<string>
  /** The protected names that appeared, as they are called now, relative to the workspace. Runs once. */
  readonly setAside: Effect.Effect<ReadonlyArray<string>>
}

const refusal = (cause: unknown): SandboxError =>
  new SandboxError({
    reason: `The record of what it finds cannot be kept: ${cause instanceof Error ? cause.message : String(cause)}.`
  })

/** `holding`: names that are absent are held by placeholders meanwhile. */
export const begin = Effect.fnUntraced(function* (
  journal: BoxJournal,
  workspace: string,
  holding: boolean
): Effect.fn.Return<Aftermath, SandboxError, Scope.Scope> {
  const left = yield* Effect.sync(journal.finish)
  if (left !== undefined) return yield* new SandboxError({ reason: left })
  const found = yield* Effect.mapError(
    ProtectedTree.scan(workspace),
    ({ message }) => new SandboxError({ reason: message })
  )
  const acquire = Effect.try({
    try: () => {
      const held = journal.held()
      // A placeholder of another command is nothing that was there.
      const before = new Map([...found].filter(([file]) => !held.has(file)))
      const names = Placeholders.wanted(workspace, held).filter((file) =>
        holding ? !before.has(file) : held.has(file)
      )
      const entry = journal.begin({ workspace, before, placeholders: names })
      return { before, entry, placeholders: names.filter(Placeholders.make) }
    },
    catch: refusal
  })
  const settled = ({ before, entry, placeholders }: Omit<Aftermath, "setAside">) =>
    Effect.gen(function* () {
      const others = journal.held(entry.id)
      Placeholders.remove(placeholders.filter((file) => !others.has(file)))
      const spared = (file: string) => others.has(file) || OwnWrites.has(file)
      const aside = yield* ProtectedTree.settle({ workspace, before, spared })
      entry.end()
      return aside
    }).pipe(Effect.uninterruptible)
  const begun = yield* Effect.acquireRelease(
    Effect.flatMap(acquire, (made) =>
      Effect.map(Effect.cached(settled(made)), (setAside): Aftermath => ({ ...made, setAside }))
    ),
    ({ setAside }) => setAside
  )
  return begun
})
