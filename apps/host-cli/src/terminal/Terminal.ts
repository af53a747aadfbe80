/**
 * The person at the terminal of a run: asked on stderr, answered by a line on stdin.
 *
 * Nothing is preselected, and what was typed before the question does not count. An approval shows what would really
 * happen, and why it asks; everything a model wrote is escaped. Who leaves a question stops the task, as Ctrl+C does.
 */
import { Grant } from "@belay/approval-policy"
import { type Ask, type Answer, type Approval, UserPort } from "@belay/task-engine"
import { Copy, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import type { Proposal } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { isatty } from "node:tty"
import * as ApprovalText from "./ApprovalText.ts"
import * as Choice from "./Choice.ts"
import { isOfTask } from "../lineage/OfTask.ts"
import * as Lines from "./Lines.ts"
import { type Appearance, glyph, tinted, typeset } from "../output/Appearance.ts"
import * as DiffText from "../output/DiffText.ts"
import * as Markdown from "../output/Markdown.ts"
import type { Sink } from "../output/Sink.ts"
import { rows } from "../output/Wrapped.ts"
import * as Pager from "./Pager.ts"
import * as Slash from "./Slash.ts"

export type Proposals = (task: TaskId.TaskId, askId: string) => Effect.Effect<ReadonlyArray<Proposal.Proposal>>

/** Where the person is. */
export interface There {
  /** The workspace of the task that runs. */
  readonly at: () => string
  readonly look: Appearance
  readonly reader: boolean
  readonly proposals: Proposals
  /** Nothing else is shown while it holds. */
  readonly hold: (isHeld: boolean) => void
  /** The person is gone: the task stops, its ask stays open. */
  readonly leave: () => void
}

/** Somebody can be asked: stdin and stderr are terminals, this is no CI, and no task has opened them. */
export const isAttended = (): boolean => isatty(0) && isatty(2) && (process.env["CI"] ?? "") === "" && !isOfTask()

/** What is typed when nothing is asked is not read, and does not keep the process. */
const rest = () => {
  process.stdin.pause()
  process.stdin.unref()
}

/**
 * Reads and drops what was typed so far, then calls back. A process that was held up has read nothing meanwhile, so it
 * looks once more after the time, until nothing is there. The function that it gives ends it before.
 */
const dropping = (then: (dropped: boolean) => void): (() => void) => {
  const { stdin } = process
  let found = false
  let dropped = false
  let looking: NodeJS.Immediate | undefined
  const find = () => (found = dropped = true)
  const end = (): void => {
    clearTimeout(waiting)
    clearImmediate(looking)
    stdin.off("data", find)
  }
  const look = (): void => {
    if (found) {
      found = false
      looking = setImmediate(look)
      return
    }
    end()
    then(dropped)
  }
  const waiting = setTimeout(() => (looking = setImmediate(look)), 400)
  stdin.on("data", find)
  stdin.ref()
  stdin.resume()
  return end
}

const tooEarly = "  Typed too early.\n"

/**
 * One line of the person, typed after the prompt; nothing when there is none any more, as after Ctrl+D. The last line of
 * the prompt comes once what is typed counts.
 */
export const readLine = (sink: Sink, prompt: string): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const at = prompt.lastIndexOf("\n") + 1
    sink.err(prompt.slice(0, at))
    let close = (): void => undefined
    let isOver = false
    const over = (line: string | undefined): void => {
      if (isOver) return
      isOver = true
      close()
      // What comes next does not stand behind the prompt.
      if (line === undefined) sink.err("\n")
      resume(Effect.succeed(line?.trim()))
    }
    const left = (): void => {
      rest()
      over(undefined)
    }
    const end = dropping((dropped) => {
      sink.err(`${dropped ? tooEarly : ""}${prompt.slice(at)}`)
      if (process.stdin.readableEnded) left()
      else close = Lines.listen(process.stdin, over, left)
    })
    return Effect.sync(() => {
      // Answered from elsewhere: what is typed from now on is no answer.
      isOver = true
      end()
      close()
      rest()
      sink.err("\n")
    })
  })

const size = () => ({ columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 })

/** Who asks what: a line of ours. */
const headOf = ({ look, reader }: There, question: string, title: string): string => {
  const sign = Words.signs.needsYou
  const mark = reader || look.plain ? `${sign.label}: ` : `${tinted(look, sign.tone, glyph(look, sign))} `
  const [first = "", ...others] = rows(
    look,
    [{ text: question, style: "bold" }, { text: `  "${Words.printable(title)}"` }],
    size().columns - 3
  )
  return `\n${mark}${[first, ...others.map((row) => `  ${row}`)].join("\n")}\n`
}

const indented = (look: Appearance, lines: ReadonlyArray<string>): string =>
  lines
    .flatMap((line) =>
      rows(look, [{ text: line }], Math.max(10, size().columns - 5)).map(
        (row, n) => `${n === 0 ? "  " : "     "}${row}\n`
      )
    )
    .join("")

const askLine = ({ askId }: Ask): string => `Ask ${askId}`

/** Leaves when there is no line any more: the stop ends what waits here. */
const lineOr = (sink: Sink, there: There, prompt: string): Effect.Effect<string> =>
  Effect.flatMap(readLine(sink, prompt), (line) => {
    if (line !== undefined) return Effect.succeed(line)
    there.leave()
    return Effect.never
  })

const chosen = (sink: Sink, there: There, ask: Ask, all: string): Effect.Effect<Approval> =>
  Effect.gen(function* () {
    const choice = Choice.choose(yield* lineOr(sink, there, "> "), ask)
    if (choice === "view") {
      yield* Pager.show(sink, all)
      return yield* chosen(sink, there, ask, all)
    }
    if (choice === "why") {
      const text = yield* lineOr(sink, there, "Why? ")
      return text === "" ? { decision: "deny" } : { decision: "deny", text }
    }
    if (choice !== undefined) return choice
    sink.err("  Answer with one of the letters above, or with words for a no that says why.\n")
    return yield* chosen(sink, there, ask, all)
  })

const approve = (sink: Sink, there: There, ask: Ask): Effect.Effect<Approval> =>
  Effect.gen(function* () {
    const { look } = there
    const proposals = yield* there.proposals(ask.taskId, ask.askId)
    const asked = ApprovalText.of(ask, proposals, there.at())
    const body = ApprovalText.shown(asked, look, size())
    const below = [...asked.facts, ...Choice.choices(ask), ...(body.isCut ? ["v  Show all of it"] : []), askLine(ask)]
    const text = `${headOf(there, asked.question, ask.title)}${body.rows.map((row) => `${row}\n`).join("")}${indented(look, below)}`
    sink.err(typeset(look, text))
    const whole = [asked.question, "", ...asked.body.map((line) => DiffText.coloured(look, line)), "", ...asked.facts]
    return yield* chosen(sink, there, ask, `${whole.join("\n")}\n`)
  })

/** An answer in words; what helps to say it is shown as often as it is wanted. */
const words = (sink: Sink, there: There): Effect.Effect<string> =>
  Effect.gen(function* () {
    const line = yield* lineOr(sink, there, "> ")
    return (yield* Slash.toTask(line, there.at(), sink)) ? yield* words(sink, there) : line
  })

const answer = (sink: Sink, there: There, ask: Ask): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { look } = there
    const options = ask.options ?? []
    const asked = Markdown.text(look, Math.max(10, size().columns - 3), Words.printableLines(ask.question ?? ""))
    const listed = options.map((option, index) => `${index + 1}  ${Words.printable(option)}`)
    const plan = ask.kind === "plan" ? ['Type "act" to switch to act mode, or answer to go on planning.'] : []
    const head = ask.kind === "plan" ? "Plan" : ask.kind === "completion" ? "Result" : "Question"
    const shown = asked.map((row) => `  ${row}`.trimEnd()).join("\n")
    const text = `${headOf(there, head, ask.title)}${shown}\n${indented(look, [...listed, ...plan, askLine(ask)])}`
    sink.err(typeset(look, text))
    const line = yield* words(sink, there)
    if (ask.kind === "plan" && line === "act") return { text: "", switchToAct: true }
    return { text: options[Number(line) - 1] ?? line }
  })

export const layer = (sink: Sink, there: There): Layer.Layer<UserPort> => {
  const alone = <A>(asking: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.acquireUseRelease(
      Effect.sync(() => there.hold(true)),
      () => asking,
      () => Effect.sync(() => there.hold(false))
    )
  return Layer.succeed(UserPort, {
    attended: true,
    endsWithWords: true,
    approve: (ask) => alone(approve(sink, there, ask)),
    answer: (ask) => alone(answer(sink, there, ask)),
    allowed: ({ folder, problem, rules }) =>
      Effect.sync(() => {
        const said = rules.map((rule) => Grant.describe(rule, folder)).join(", ")
        const line =
          problem === undefined
            ? `${Copy.alwaysSaved(said, path.basename(folder))} See and take back: belay allowed`
            : Copy.alwaysNotSaved(problem)
        sink.err(`  ${line}\n`)
      })
  })
}
