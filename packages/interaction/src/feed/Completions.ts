/**
 * What a person may mean while a mention or a command is being typed, in the folder of a task.
 *
 * Nothing is offered that is ignored or that the policy calls secret; what is mentioned is read by the engine, under the
 * policy, when the message is. The names of a folder are read again after some seconds.
 */
import { ProtectedPath } from "@belay/approval-policy"
import { GitContext, Mention, ProjectContext, SlashCommand } from "@belay/prompt-context"
import type * as View from "../conversation/View.ts"
import * as Words from "../text/Words.ts"
import { FileNames } from "@belay/tool-executor/workspace"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** `from`: where in the line it begins. */
export interface Found {
  readonly from: number
  readonly items: ReadonlyArray<View.Completion>
}

const shown = 8

const nothing: Found = { from: 0, items: [] }

const isSecret = (label: string): boolean => ProtectedPath.match(label, "read") !== undefined

const printable = ({ detail, insert, label }: Mention.Completion): View.Completion => ({
  insert,
  label: Words.printable(label),
  detail: Words.printable(detail).slice(0, 200)
})

/** Finds what fits to what is being typed. */
export class Completions extends Context.Service<
  Completions,
  {
    /** `line` is what stands before the caret in its line; a command is one only where the text begins. */
    readonly of: (workspace: string, line: string, isFirst: boolean) => Effect.Effect<Found>
    /** Every command that can be said in a folder. */
    readonly commands: (workspace: string | undefined) => Effect.Effect<ReadonlyArray<View.Completion>>
  }
>()("@belay/interaction/Completions") {
  static readonly layer: Layer.Layer<Completions> = Layer.effect(
    Completions,
    Effect.gen(function* () {
      const folder = yield* ProjectContext.ProjectContext
      const sources = yield* Cache.make({
        capacity: 4,
        timeToLive: "5 seconds",
        lookup: (workspace: string) =>
          Effect.all({ paths: FileNames.of(workspace), commits: GitContext.recent(workspace) }, { concurrency: 2 })
      })

      const named = (query: string, workspace: string | undefined) =>
        Effect.map(
          workspace === undefined ? Effect.succeed(ProjectContext.nothing) : folder.content(workspace),
          ({ commands, skills }) => SlashCommand.completions(query, [...commands, ...skills])
        )

      const mentioned = (query: string, workspace: string) =>
        Effect.map(Cache.get(sources, workspace), (known) =>
          Mention.completions(query, known, 10 * shown).filter(({ label }) => !isSecret(label))
        )

      return Completions.of({
        of: (workspace, line, isFirst) =>
          Effect.gen(function* () {
            const typing = Mention.typing(line)
            if (typing === undefined || (typing.kind === "command" && !isFirst)) return nothing
            const { from, kind, query } = typing
            const all = yield* kind === "command" ? named(query, workspace) : mentioned(query, workspace)
            const items = all.slice(0, shown).map(printable)
            // What stands there already is nothing to choose.
            return items.length === 1 && items[0]?.insert === line.slice(from) ? nothing : { from, items }
          }),
        commands: (workspace) => Effect.map(named("", workspace), (all) => all.map(printable))
      })
    })
  )
}
