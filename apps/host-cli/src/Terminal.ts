/**
 * The person at the terminal of a run: asked on stderr, answered by a line on stdin.
 *
 * Nothing is preselected, and what was typed before the question does not count. An approval shows what would really
 * happen: resolved targets, the rule, and why it asks; everything a model wrote is escaped.
 */
import type { Event } from "@belay/history-store"
import { type Decision, Grant } from "@belay/approval-policy"
import { type Ask, type Answer, type Approval, Person } from "@belay/task-engine"
import { AskText, Copy, McpCall, Transcript, Words } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { isatty } from "node:tty"
import { isOfTask } from "./lineage/OfTask.ts"
import * as Lines from "./Lines.ts"
import type { Sink } from "./output/Sink.ts"
import * as Slash from "./Slash.ts"

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
const dropping = (then: () => void): (() => void) => {
  const { stdin } = process
  let found = false
  let looking: NodeJS.Immediate | undefined
  const find = () => (found = true)
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
    then()
  }
  const waiting = setTimeout(() => (looking = setImmediate(look)), 400)
  stdin.on("data", find)
  stdin.ref()
  stdin.resume()
  return end
}

/** One line of the person, typed after the prompt. */
export const readLine = (sink: Sink, prompt: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    sink.err(prompt)
    let close = (): void => undefined
    const end = dropping(() => {
      close = Lines.listen(
        process.stdin,
        (line) => {
          close()
          resume(Effect.succeed(line.trim()))
        },
        rest
      )
    })
    return Effect.sync(() => {
      // Answered from elsewhere: what is typed from now on is no answer.
      end()
      close()
      rest()
    })
  })

const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${Words.printable(line)}`)
    .join("\n")

/** The call in full: of an MCP server its tool and the arguments that it gets. */
const asked = ({ question = "" }: Ask): string => {
  const mcp = McpCall.of(AskText.callOf(question).args)
  return mcp === undefined ? question : `Use ${McpCall.title(mcp)}${mcp.args === undefined ? "" : `\n${mcp.args}`}`
}

const resolved = (ask: Ask): string => {
  const facts = ask.resolved as Decision.Resolved | undefined
  const sandbox = facts?.sandbox === undefined ? [] : [Copy.askSandbox(facts.sandbox)]
  const lines = [...(facts?.writes ?? []).map((path) => `writes ${path}`), ...(facts?.paths ?? []), ...sandbox]
  return lines.length === 0 ? "" : `${indent(lines.join("\n"))}\n`
}

const offerOf = ({ grants }: Ask, scope: Event.GrantOffer["scope"]): Event.GrantOffer | undefined =>
  grants.find((offer) => offer.scope === scope)

/** Why it is not offered; what was said as the reason of the ask is not said again. */
const refusal = (offer: Event.GrantOffer | undefined, { reason, rule }: Ask): string =>
  reason !== undefined && offer?.reason === `${reason} (rule: ${rule})`
    ? ", for the reason above"
    : `: ${Words.printable(offer?.reason ?? "not offered")}`

/** Positions never change: 1 to 3 allow, from narrow to wide, 4 and 5 refuse. What is not offered says why. */
export const choices = (ask: Ask): ReadonlyArray<string> => {
  const task = offerOf(ask, "task")
  const allowed = task?.allowed === true
  const always = offerOf(ask, "always")
  return [
    "1 Allow once",
    allowed
      ? `2 Allow for this task: ${task.rules.map(Words.printable).join(", ")}`
      : `- Cannot be allowed for this task${refusal(task, ask)}`,
    ...(always === undefined
      ? []
      : always.allowed
        ? [`3 ${Copy.alwaysHere(always.rules.join(", "), path.basename(always.folder ?? ""))}`]
        : [`- Cannot be allowed always${refusal(always, ask)}`]),
    "4 Deny",
    "5 Deny, say why"
  ]
}

/** What a line says: an approval, that a reason follows, or nothing that could be taken for a choice. */
export const choose = (line: string, ask: Ask): Approval | "why" | undefined => {
  switch (line) {
    case "1":
      return { decision: "allow" }
    case "2":
      return offerOf(ask, "task")?.allowed === true ? { decision: "allow", grant: "task" } : undefined
    case "3":
      return offerOf(ask, "always")?.allowed === true ? { decision: "allow", grant: "always" } : undefined
    case "4":
      return { decision: "deny" }
    case "5":
      return "why"
    default:
      return undefined
  }
}

const chosen = (sink: Sink, ask: Ask): Effect.Effect<Approval> =>
  Effect.gen(function* () {
    const choice = choose(yield* readLine(sink, "> "), ask)
    if (choice === "why") {
      const text = yield* readLine(sink, "Why? ")
      return text === "" ? { decision: "deny" } : { decision: "deny", text }
    }
    if (choice !== undefined) return choice
    sink.err("  Choose one of the numbers.\n")
    return yield* chosen(sink, ask)
  })

const approve = (sink: Sink, ask: Ask): Effect.Effect<Approval> =>
  Effect.suspend(() => {
    const { edits = [], kind, reason, rule } = ask
    const lines = [
      ...edits.map(Transcript.editLine),
      ...(reason === undefined ? [] : [Copy.askWhy({ reason, rule: rule ?? kind })]),
      ...choices(ask)
    ]
    sink.err(
      `\n◆ Needs you: "${Words.printable(ask.title)}" would go on with:\n${indent(asked(ask))}\n${resolved(ask)}` +
        lines.map((line) => `  ${line}\n`).join("")
    )
    return chosen(sink, ask)
  })

/** An answer in words; what helps to say it is shown as often as it is wanted. */
const words = (sink: Sink, at: () => string): Effect.Effect<string> =>
  Effect.gen(function* () {
    const line = yield* readLine(sink, "> ")
    return (yield* Slash.toTask(line, at(), sink)) ? yield* words(sink, at) : line
  })

const answer = (sink: Sink, ask: Ask, at: () => string): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const options = ask.options ?? []
    const listed = options.map((option, index) => `  ${index + 1} ${Words.printable(option)}\n`).join("")
    const plan = ask.kind === "plan" ? '  Type "act" to switch to act mode, or answer to go on planning.\n' : ""
    sink.err(`\n◆ "${Words.printable(ask.title)}" asks:\n${indent(ask.question ?? "")}\n${listed}${plan}`)
    const line = yield* words(sink, at)
    if (ask.kind === "plan" && line === "act") return { text: "", switchToAct: true }
    return { text: options[Number(line) - 1] ?? line }
  })

/** `at` is the workspace of the task that runs. */
export const layer = (sink: Sink, at: () => string): Layer.Layer<Person> =>
  Layer.succeed(Person, {
    attended: true,
    approve: (ask) => approve(sink, ask),
    answer: (ask) => answer(sink, ask, at),
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
