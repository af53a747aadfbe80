/**
 * `belay` in a terminal: the interface is there and takes keys before what runs tasks is loaded.
 *
 * The terminal is as before however it ends, and the way on is said.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { homedir } from "node:os"
import * as path from "node:path"
import { isSet, type Parsed, text } from "../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError, line, usage } from "../cli/Failure.ts"
import { Drafts } from "../interactive/Drafts.ts"
import type { Face } from "../interactive/Face.ts"
import { Interface } from "../interactive/Interface.ts"
import { hasLinks } from "../interactive/screen/Modes.ts"
import * as Tty from "../interactive/screen/Tty.ts"
import * as Appearance from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import * as Home from "../settings/Home.ts"
import * as Signals from "../terminal/Signals.ts"

declare const BELAY_VERSION: string | undefined

const version = (): string => (typeof BELAY_VERSION === "string" ? ` ${BELAY_VERSION}` : "")

const goOn = "Go on with: belay -c"

const atHome = (folder: string): string => {
  const within = path.relative(homedir(), folder)
  return within === "" ? "~" : within.startsWith("..") || path.isAbsolute(within) ? folder : `~${path.sep}${within}`
}

/** The task that is meant: an id of a task, or nothing for a new one. */
const chosen = (parsed: Parsed, workspace: string) =>
  Effect.gen(function* () {
    const id = text(parsed, "resume")
    const last = isSet(parsed, "continue")
    if (id !== undefined && last)
      return yield* usage("--continue and --resume cannot be used together", "Leave one out.")
    if (id === undefined && !last) return undefined
    if (id === "") return undefined
    const [{ reading }, TaskReference] = yield* Effect.promise(() =>
      Promise.all([import("../tasks/Reading.ts"), import("../tasks/TaskReference.ts")])
    )
    return yield* reading(TaskReference.resolve(id ?? "last", workspace))
  })

/** What both kinds of interface begin with. */
interface Opened {
  readonly parsed: Parsed
  readonly workspace: string
  readonly directory: string
  readonly look: Appearance.Appearance
  readonly drafts: Drafts
  readonly leave: (code: ExitCode) => () => void
  readonly sink: Sink
}

const headOf = (workspace: string): string => `Belay${version()} · ${Words.printable(atHome(workspace))}`

/** On the screen that the person is in. */
const painted = ({ directory, drafts, leave, look, parsed, sink, workspace }: Opened) =>
  Effect.gen(function* () {
    let ui: Interface | undefined
    const tty = yield* Tty.own(
      {
        typed: (bytes) => ui?.typed(bytes),
        resized: () => ui?.resized(),
        told: (lines) => ui?.tell(lines),
        drained: () => ui?.paint(),
        returned: () => ui?.back(),
        gone: leave(130),
        broken: (cause) => {
          drafts.store()
          sink.err(`${line(fromError(cause))}${goOn}\n`)
          void sink.flush().then(() => process.exit(1))
        }
      },
      directory
    )
    ui = new Interface(tty, { ...look, links: hasLinks(process.env) }, Tty.escapeMs(process.env), workspace, leave(0))
    for (const said of drafts.sent) ui.remember(said)
    ui.tell([headOf(workspace), ""])
    ui.know({ mode: text(parsed, "mode") === "plan" ? "plan" : "act" })
    ui.giveBack(drafts.draft)
    ui.paint()
    // What is painted leaves before the rest is read, which nothing can interrupt.
    yield* Effect.yieldNow
    return ui
  })

/** Why lines are printed and nothing is painted; nothing where it is. */
const whyPrinted = (parsed: Parsed, { plain }: Appearance.Appearance): string | undefined => {
  if (isSet(parsed, "screen-reader")) return "Screen reader mode, by --screen-reader."
  if (process.env["BELAY_SCREEN_READER"] === "1") return "Screen reader mode, by BELAY_SCREEN_READER=1."
  if (plain) return "Lines alone, by --plain."
  return process.env["TERM"] === "dumb" ? "Lines alone, by TERM=dumb." : undefined
}

/** By lines. */
const printed = ({ leave, look, sink, workspace }: Opened, why: string) =>
  Effect.promise(async () => {
    const { Reader } = await import("../interactive/Reader.ts")
    const ui = new Reader(look, sink, why.startsWith("Screen reader"), leave(130))
    ui.tell([`${headOf(workspace)}. ${why}`, "Type what is to be done. /help lists commands, Ctrl+C stops.", ""])
    ui.listen()
    return ui
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const task = yield* chosen(parsed, workspace)
    yield* Effect.promise(sink.flush)
    const directory = DataFolder.directory()
    const look = Appearance.of(parsed)
    const left = yield* Deferred.make<ExitCode>()
    const drafts = new Drafts(directory, workspace)
    const context = yield* Effect.context()
    const leave = (code: ExitCode) => () => void Effect.runForkWith(context)(Deferred.succeed(left, code))
    const opened = { parsed, workspace, directory, look, drafts, leave, sink }
    const why = whyPrinted(parsed, look)
    const ui: Face = why === undefined ? yield* painted(opened) : yield* printed(opened, why)
    const { run: engine } = yield* Effect.promise(() => import("../interactive/Running.ts"))
    const beginning = {
      directory,
      workspace,
      parsed,
      task,
      picks: text(parsed, "resume") === "",
      prompt: parsed.args.join(" ").trim(),
      left,
      wrote: drafts.write,
      sent: drafts.add
    }
    const running = engine(ui, beginning, sink)
    return yield* Effect.onExit(why === undefined ? running : Signals.ignored(running), () =>
      Effect.sync(() => {
        drafts.store()
        ui.end(ui.hasTask() ? [goOn] : [])
      })
    )
  }).pipe(Effect.scoped)
