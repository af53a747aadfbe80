/**
 * Chooses the answer to a request.
 *
 * A conversation is told apart by its `x-belay-task`, else by the text of its first user message, and stays with the
 * script it was first bound to. Which answer it gets follows from the request: the number of assistant messages in it.
 */
import type { Answer, Scenario, Script } from "../Scenario.ts"

/** What is read of a request's body; everything may be missing. */
export interface Body {
  readonly model?: string
  readonly stream?: boolean
  readonly messages?: ReadonlyArray<{ readonly role?: string; readonly content?: unknown }>
}

export const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && (!("messages" in value) || Array.isArray(value.messages))

/** `answer` with the name of its place; `faults` is false once its errors were served `times` times. */
export interface Choice {
  readonly answer: Answer
  readonly script: number | "fallback"
  readonly index: number
  readonly faults: boolean
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((block: { readonly text?: unknown; readonly content?: unknown }) =>
      typeof block?.text === "string" ? block.text : textOf(block?.content)
    )
    .join("\n")
}

/** The text of the first user message, by which a conversation is told apart. */
export const promptOf = (messages: NonNullable<Body["messages"]>): string =>
  textOf(messages.find((message) => message.role === "user")?.content)

const fits = (script: Script, task: string | undefined, prompt: string): boolean =>
  (script.match.task === undefined || script.match.task === task) &&
  (script.match.prompt === undefined || prompt.includes(script.match.prompt))

const hasFault = (answer: Answer): boolean =>
  answer.error !== undefined ||
  answer.page !== undefined ||
  answer.streamError !== undefined ||
  answer.disconnectAtByte !== undefined ||
  answer.malformed !== undefined

export class Conversations {
  readonly #scenario: Scenario
  readonly #bound = new Map<string, number>()
  readonly #taken = new Set<number>()
  readonly #served = new Map<string, number>()

  constructor(scenario: Scenario) {
    this.#scenario = scenario
  }

  /** The answer, or a sentence that says why there is none. */
  choose(task: string | undefined, body: Body): Choice | string {
    const messages = body.messages ?? []
    const prompt = promptOf(messages)
    const key = task === undefined ? `prompt:${prompt}` : `task:${task}`
    const script = this.#scriptOf(key, task, prompt)
    const newest = textOf(messages.at(-1)?.content)
    const found = script === undefined ? undefined : answerOf(this.#scenario.tasks[script]!, messages, newest)
    const answer = found?.answer ?? this.#scenario.fallback
    if (answer === undefined) {
      return script === undefined
        ? `no script of the scenario fits the conversation ${key.slice(0, 200)}`
        : `script ${script} of the scenario has no answer ${count(messages)}`
    }
    if (answer.after !== undefined && !newest.includes(answer.after)) {
      return `the scenario expects the newest message to contain ${JSON.stringify(answer.after)}`
    }
    const index = found?.index ?? count(messages)
    return {
      answer,
      script: found === undefined ? "fallback" : script!,
      index,
      faults: this.#faults(key, index, answer)
    }
  }

  #scriptOf(key: string, task: string | undefined, prompt: string): number | undefined {
    const bound = this.#bound.get(key)
    if (bound !== undefined) return bound
    const free = this.#scenario.tasks.findIndex(
      (script, index) => (script.shared === true || !this.#taken.has(index)) && fits(script, task, prompt)
    )
    if (free < 0) return undefined
    this.#bound.set(key, free)
    this.#taken.add(free)
    return free
  }

  #faults(key: string, index: number, answer: Answer): boolean {
    if (!hasFault(answer)) return false
    if (answer.times === undefined) return true
    const id = `${index} ${key}`
    const served = this.#served.get(id) ?? 0
    this.#served.set(id, served + 1)
    return served < answer.times
  }
}

const count = (messages: NonNullable<Body["messages"]>): number => {
  let assistants = 0
  for (const message of messages) if (message.role === "assistant") assistants++
  return assistants
}

/** Places are indices into `answers` as written, so that ids stay unique among answers with and without `on`. */
const answerOf = (script: Script, messages: NonNullable<Body["messages"]>, newest: string) => {
  let turn = count(messages)
  let indexed: { readonly answer: Answer; readonly index: number } | undefined
  for (const [index, answer] of script.answers.entries()) {
    if (answer.on !== undefined) {
      if (newest.includes(answer.on)) return { answer, index }
    } else if (turn-- === 0) indexed = { answer, index }
  }
  return indexed
}
