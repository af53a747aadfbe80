/** A command of the command line as data, and the flags that several commands take. */
export interface Flag {
  readonly name: string
  /** What its value is called; a flag without one is a switch. */
  readonly value?: string
  /** It may be given several times. */
  readonly many?: true
  readonly about: string
  /** Values that a later version brings: refused, never ignored. */
  readonly later?: ReadonlyArray<string> | true
}

export interface Command {
  /** The words that name it. */
  readonly path: ReadonlyArray<string>
  readonly args: string
  readonly about: string
  readonly examples: ReadonlyArray<string>
  readonly flags: ReadonlyArray<Flag>
  /** Fewest and most arguments; prompts take any number. */
  readonly arity: readonly [number, number]
  /** It gives an answer or a right, which a process of a task may not. */
  readonly widens?: Widens
}

/** Always, or with one of these flags. */
type Widens = true | ReadonlyArray<string>

/** Of what runs a task. */
export const output: Flag = { name: "output", value: "text|json|stream-json", about: "what stdout gets (text)" }
/** Of what prints records. */
export const record: Flag = { name: "output", value: "text|json", about: "what stdout gets (text)" }
export const cwd: Flag = { name: "cwd", value: "DIR", about: "the workspace (the current folder)" }
export const verbose: Flag = { name: "verbose", about: "more detail on stderr, causes of errors" }
export const color: Flag = { name: "color", value: "auto|always|never", about: "colours (auto)" }
export const plain: Flag = { name: "plain", about: "no glyphs, TAB-separated lists" }

export const approvals: Flag = {
  name: "approvals",
  value: "ask|edits|all|FILE|{json}",
  about: "what runs without asking (ask)"
}

/** Of everything that runs a task. */
export const running: ReadonlyArray<Flag> = [
  cwd,
  { name: "mode", value: "plan|act", about: "plan changes nothing (act)" },
  { name: "model", value: "ID", about: "the model" },
  { name: "plan-model", value: "ID", about: "the model of plan mode" },
  output,
  { name: "input", value: "stream-json", about: "answers and messages on stdin" },
  approvals,
  { name: "max-requests", value: "N", about: "limit of model calls, with all subtasks (250 where nobody is there)" },
  { name: "max-cost-usd", value: "N", about: "limit in US dollars, with all subtasks" },
  { name: "timeout", value: "10m", about: "limit of time (s, m, h)" },
  { name: "concurrency", value: "N", about: "subtasks at once (4)" },
  { name: "sandbox", value: "required|preferred|off", about: "confine commands that run without asking (preferred)" },
  { name: "completion", value: "ask|auto", about: "ask: the result waits for your yes (auto)" },
  plain,
  { name: "screen-reader", about: "output for screen readers" },
  color,
  verbose
]

/** Flags of `running` with which a run asks less, or is answered from its stdin. */
export const widening: ReadonlyArray<string> = ["approvals", "sandbox", "input"]

export const command = (
  path: string,
  args: string,
  about: string,
  arity: Command["arity"],
  flags: ReadonlyArray<Flag>,
  examples: ReadonlyArray<string>,
  widens?: Widens
): Command => ({
  path: path.split(" "),
  args,
  about,
  arity,
  flags,
  examples,
  ...(widens === undefined ? {} : { widens })
})
