/**
 * Command lines as people type them for other agents: options before any command are those of `run`, some options have a
 * second spelling, and one that we do not have names ours.
 */
import { areRules } from "./ToolNames.ts"

/** Other spellings of our options. */
const spellings: Readonly<Record<string, string>> = {
  "--allowedTools": "--allowed-tools",
  "--disallowedTools": "--disallowed-tools",
  "--output-format": "--output",
  "--input-format": "--input"
}

/** Options that take as many words as there are rules. */
const many = new Set(["--allowed-tools", "--disallowed-tools"])

/** Options whose value may be left out, and what may be one. */
const optional: ReadonlyMap<string, RegExp> = new Map([
  ["--resume", /^/],
  ["-r", /^/],
  ["--worktree", /^[\w.-]+$/],
  ["-w", /^[\w.-]+$/]
])

/** Without its value. */
const bare: Readonly<Record<string, string>> = { "-r": "--resume", "-w": "--worktree" }

const lacksValue = (word: string, next: string | undefined): boolean =>
  optional.has(word) && (isOption(next) || optional.get(word)?.test(next ?? "") !== true)

const spelled = (word: string): string => {
  const at = word.indexOf("=")
  const name = at === -1 ? word : word.slice(0, at)
  return Object.hasOwn(spellings, name) ? `${spellings[name]}${word.slice(name.length)}` : word
}

const isOption = (word: string | undefined): boolean => word === undefined || word.startsWith("-")

/** Options that are answered without a command. */
const own = new Set(["--help", "-h", "--version", "-v"])

/** What `belay` understands by these words. */
export const words = (typed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first] = typed
  const all = first !== undefined && first.startsWith("-") && !own.has(first) ? ["run", ...typed] : typed
  return all[0] === "run" || all[0] === "task" || all[0] === "policy" ? understood(all) : all
}

/** The same of words that name no command, and open the interactive terminal. */
export const options = (typed: ReadonlyArray<string>): ReadonlyArray<string> => understood(["run", ...typed]).slice(1)

const understood = (all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const said: Array<string> = []
  let list: string | undefined
  for (const [index, word] of all.entries()) {
    if (word === "--") return [...said, ...all.slice(index)]
    if (list !== undefined && areRules(word) && said.at(-1) !== list) said.push(list, word)
    else if (all[0] === "run" && lacksValue(word, all[index + 1])) said.push(`${bare[word] ?? word}=`)
    else {
      const ours = spelled(word)
      if (ours.startsWith("-")) list = many.has(ours) ? ours : undefined
      said.push(ours)
    }
  }
  return said
}

/** What does the same here, by the option of another agent. */
const ours: Readonly<Record<string, string>> = {
  "dangerously-skip-permissions": "--approvals all, which still asks before what cannot be undone",
  "allow-dangerously-skip-permissions": "--approvals all",
  "dangerously-bypass-approvals-and-sandbox": "--approvals all --sandbox off",
  yolo: "--approvals all",
  yes: "--approvals all",
  "yes-always": "--approvals all",
  y: "--approvals all",
  "auto-approve": "--approvals all",
  "full-auto": "--approvals edits",
  "approval-mode": "--approvals",
  "ask-for-approval": "--approvals ask",
  a: "--approvals",
  "max-budget-usd": "--max-cost-usd N",
  "session-id": "belay task resume ID",
  session: "belay task resume ID",
  s: "belay task resume ID",
  "fork-session": "belay task fork ID",
  fork: "belay task fork ID",
  cd: "--cwd DIR",
  C: "--cwd DIR",
  dir: "--cwd DIR",
  "working-directory": "--cwd DIR",
  m: "--model ID",
  message: "the words themselves: belay run WORDS",
  "message-file": "stdin: belay run < FILE",
  file: "a mention: @/FILE",
  f: "a mention: @/FILE",
  image: "a mention: @/FILE",
  i: "a mention: @/FILE",
  read: "a mention: @/FILE",
  agent: "an agent of .claude/agents, which the words name",
  agents: ".claude/agents",
  settings: "belay config set NAME VALUE",
  config: "belay config set NAME VALUE",
  c: "belay config set NAME VALUE",
  "permission-prompt-tool": "--input stream-json, which answers what is asked",
  "mcp-debug": "belay mcp test NAME",
  json: "--output json",
  o: "--output",
  "output-last-message": "stdout: belay run WORDS > FILE",
  "output-schema": "--json-schema SCHEMA",
  "stream-json": "--output stream-json",
  "no-auto-commits": "nothing: commits are made only when they are asked for",
  ide: "the VS Code extension",
  tools: "--disallowed-tools LIST",
  "allowed-mcp-server-names": "belay mcp list",
  sandbox: "--sandbox required",
  effort: "belay config list --all",
  prompt: "the words themselves: belay run WORDS",
  print: "belay run WORDS"
}

/** What to type instead of an option of another agent; nothing where none is known. */
export const instead = (name: string): string | undefined => (Object.hasOwn(ours, name) ? ours[name] : undefined)
