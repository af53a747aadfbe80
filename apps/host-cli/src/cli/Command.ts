/** A command of the command line as data, and the flags that several commands take. */
export interface Flag {
  readonly name: string
  /** What its value is called; a flag without one is a switch. */
  readonly value?: string
  /** One letter that stands for it, behind one dash. */
  readonly short?: string
  /** It may be given several times. */
  readonly many?: true
  readonly about: string
  /** Values that a later version brings: refused, never ignored. */
  readonly later?: ReadonlyArray<string> | true
}

export interface Command {
  /** The words that name it. */
  readonly path: ReadonlyArray<string>
  /** As many that named it in the version before: understood, and shown nowhere. */
  readonly formerly?: ReadonlyArray<string>
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
const output: Flag = {
  name: "output",
  value: "text|json|stream-json|claude-stream-json",
  about: "what stdout gets (text)"
}
/** Of what follows a task. */
export const followed: Flag = { name: "output", value: "text|json|stream-json", about: "what stdout gets (text)" }
/** Of what prints records. */
export const record: Flag = { name: "output", value: "text|json", about: "what stdout gets (text)" }
export const cwd: Flag = { name: "cwd", value: "DIR", about: "the workspace (the current folder)" }
export const verbose: Flag = { name: "verbose", about: "more detail on stderr, causes of errors" }
export const color: Flag = { name: "color", value: "auto|always|never", about: "colours (auto)" }
export const plain: Flag = { name: "plain", about: "no glyphs, TAB-separated lists" }

export const approvals: Flag = {
  name: "approvals",
  value: "ask|edits|project|all|FILE|{json}",
  about: "what runs without asking (ask)"
}

/** Lists of tools as Claude Code has them. */
export const toolRules: ReadonlyArray<Flag> = [
  {
    name: "allowed-tools",
    value: "'Edit Bash(git diff:*)'",
    many: true,
    about: "rules of Claude Code: these run without asking"
  },
  { name: "disallowed-tools", value: "LIST", many: true, about: "rules of Claude Code: these are denied" }
]

/** As other agents have them. */
const familiar: ReadonlyArray<Flag> = [
  { name: "max-turns", value: "N", about: "as --max-requests" },
  {
    name: "permission-mode",
    value: "MODE",
    about: "default, acceptEdits, plan or bypassPermissions: --approvals and --mode"
  },
  ...toolRules,
  {
    name: "add-dir",
    value: "DIR",
    many: true,
    about: "one more folder that tools and confined commands use like the workspace"
  },
  {
    name: "mcp-config",
    value: "FILE|JSON",
    many: true,
    about: "MCP servers of this task; of a file as long as it says the same"
  },
  { name: "append-system-prompt", value: "TEXT", about: "text that is added to the end of the system prompt" },
  { name: "json-schema", value: "SCHEMA|FILE", about: "JSON Schema that the result must fit; exit 1 if it does not" },
  { name: "system-prompt", value: "TEXT", about: "text in place of what the system prompt says of how to work" }
]

/** Of `run` alone. */
export const beginning: ReadonlyArray<Flag> = [
  { name: "continue", short: "c", about: "go on with the newest task of this folder" },
  { name: "resume", short: "r", value: "ID", about: "go on with this task; without an ID, choose one of this folder" },
  {
    name: "worktree",
    short: "w",
    value: "NAME",
    about: "work on a branch and in a folder of its own (a name of the prompt's words); see belay worktree"
  },
  { name: "detach", about: "run on in a process of its own, without a terminal; what asks waits for an answer" },
  { name: "print", short: "p", about: "as for other agents: print the result and end, which run does anyway" }
]

/** Of everything that runs a task. */
export const running: ReadonlyArray<Flag> = [
  cwd,
  { name: "mode", value: "plan|act", about: "plan changes nothing (act)" },
  { name: "model", value: "ID", about: "the model" },
  { name: "plan-model", value: "ID", about: "the model of plan mode" },
  { name: "thinking", value: "off|low|medium|high|N", about: "how much it thinks; N tokens (the model's default)" },
  output,
  { name: "input", value: "stream-json", about: "answers and messages on stdin" },
  approvals,
  { name: "max-requests", value: "N", about: "limit of model calls, with all subtasks (250 where nobody is there)" },
  { name: "max-cost-usd", value: "N", about: "limit in US dollars, with all subtasks" },
  { name: "max-tokens", value: "N", about: "limit of tokens, with all subtasks" },
  { name: "timeout", value: "10m", about: "limit of time (s, m, h)" },
  ...familiar,
  { name: "concurrency", value: "N", about: "subtasks at once (4)" },
  { name: "sandbox", value: "required|preferred|off", about: "confine commands that run without asking (preferred)" },
  { name: "completion", value: "ask|auto", about: "ask: the result waits for your yes (auto)" },
  plain,
  { name: "screen-reader", about: "output for screen readers" },
  color,
  verbose
]

/** Flags of `running` with which a run asks less, or is answered from its stdin. */
export const widening: ReadonlyArray<string> = [
  "approvals",
  "sandbox",
  "input",
  "permission-mode",
  "allowed-tools",
  "add-dir",
  "mcp-config",
  "continue",
  "resume"
]
