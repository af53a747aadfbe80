/**
 * `belay trust`: shows what a folder brings for its tasks, and trusts exactly that once a person says so.
 *
 * Where nobody can be asked it is trusted with `--yes` alone. Any change of it, in place or by `git pull`, is a content of
 * its own, which is not trusted.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import * as Trust from "@belay/settings/trust"
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../cli/Failure.ts"
import * as FolderFiles from "../terminal/FolderFiles.ts"
import * as Home from "../settings/Home.ts"
import type { Sink } from "../output/Sink.ts"
import { failure } from "../settings/SettingsFile.ts"
import * as Trusting from "../settings/Trusting.ts"
import * as Terminal from "../terminal/Terminal.ts"

const say = (workspace: string, content: Trusting.Whole, trusted: boolean): Effect.Effect<void, Failure> =>
  Effect.mapError(Trust.say(DataFolder.directory(), workspace, content, trusted), failure)

/** What the person says; nothing where they choose neither. */
const answered = (
  parsed: Parsed,
  workspace: string,
  content: Trusting.Whole,
  sink: Sink
): Effect.Effect<boolean | undefined, Failure> =>
  Effect.gen(function* () {
    if (isSet(parsed, "yes")) return true
    if (!Terminal.isAttended()) {
      const how = `Read what is printed above, then: ${Trusting.command(workspace)} --yes`
      return yield* usage("nobody is there to say whether this folder is trusted", how)
    }
    return yield* Trusting.judged(content, (text) => Terminal.readLine(sink, text))
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const content = Trust.everything(workspace)
    if (content._tag === "Unreadable") {
      return yield* usage(`this folder cannot be trusted: ${content.why} (${workspace})`, "Take it out.")
    }
    const what = content._tag === "None" ? "" : Trusting.named(content)
    const leftOut = FolderFiles.leftOut(Trust.survey(workspace))
    const left = leftOut.map((row) => `${row.trimEnd()}\n`).join("")
    if (content._tag === "None" || what === "") {
      sink.out(`There is nothing to trust in this folder.\n${left}`)
      return 0 as const
    }
    if (isSet(parsed, "remove")) {
      yield* say(workspace, content, false)
      sink.out(`Not trusted: its ${what} are ignored.\n`)
      return 0 as const
    }
    const shown = Trusting.shown(content, isSet(parsed, "full")).trimEnd()
    sink.out(`${left === "" ? "" : `${left}\n`}${shown}\n`)
    const trusted = yield* answered(parsed, workspace, content, sink)
    if (trusted !== undefined) yield* say(workspace, content, trusted)
    sink.out(trusted === true ? `Trusted, as they are now: its ${what}.\n` : `Not trusted: its ${what} are ignored.\n`)
    return 0 as const
  })
