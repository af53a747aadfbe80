/**
 * The command line as data: commands, their flags, and what a later version brings.
 *
 * Help, parsing and suggestions read this table and nothing else.
 */
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
}

const output: Flag = { name: "output", value: "text|json|stream-json", about: "what stdout gets (text)" }
const record: Flag = { name: "output", value: "text|json", about: "what stdout gets (text)" }
const cwd: Flag = { name: "cwd", value: "DIR", about: "the workspace (the current folder)" }
const verbose: Flag = { name: "verbose", about: "more detail on stderr, causes of errors" }
const color: Flag = { name: "color", value: "auto|always|never", about: "colours (auto)" }
const plain: Flag = { name: "plain", about: "no glyphs, TAB-separated lists" }

const running: ReadonlyArray<Flag> = [
  cwd,
  { name: "mode", value: "plan|act", about: "plan changes nothing (act)" },
  { name: "model", value: "ID", about: "the model" },
  { name: "plan-model", value: "ID", about: "the model of plan mode" },
  output,
  { name: "input", value: "stream-json", about: "answers and messages on stdin" },
  { name: "approvals", value: "ask|edits|all|FILE|{json}", about: "what runs without asking (ask)" },
  { name: "max-requests", value: "N", about: "limit of model calls, with all subtasks" },
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

const command = (
  path: string,
  args: string,
  about: string,
  arity: Command["arity"],
  flags: ReadonlyArray<Flag>,
  examples: ReadonlyArray<string>
): Command => ({
  path: path.split(" "),
  args,
  about,
  arity,
  flags,
  examples
})

export const commands: ReadonlyArray<Command> = [
  command("run", "[prompt...]", "Run one task; the prompt may also come from stdin", [0, Infinity], running, [
    'belay run "fix the failing test" --approvals edits',
    "git diff | belay run --mode plan --output json"
  ]),
  command(
    "task list",
    "",
    "Tasks, newest event first",
    [0, 0],
    [
      { name: "limit", value: "50", about: "how many" },
      { name: "cursor", value: "C", about: "go on after an earlier page" },
      { name: "status", value: "S", about: "created, active, delegated, interrupted or completed" },
      { name: "cwd", value: "D", about: "only tasks of this workspace" },
      { name: "since", value: "7d", about: "only tasks with an event since then (m, h, d)" },
      { name: "root", about: "only tasks without a parent" },
      { name: "all", about: "finished ones too (text output)" },
      record,
      plain,
      color,
      verbose
    ],
    ["belay task list", "belay task list --status interrupted --output json"]
  ),
  command(
    "task search",
    "TEXT",
    "Find tasks by the words of titles, messages and file names",
    [1, Infinity],
    [{ name: "limit", value: "50", about: "how many" }, record, plain, color, verbose],
    ['belay task search "flaky test"', "belay task search parser is:interrupted after:2026-10-01 in:api"]
  ),
  command(
    "task show",
    "ID",
    "One task: record, asks, calls, checklist",
    [1, 1],
    [
      { name: "messages", about: "with the conversation as stored" },
      { name: "context", about: "with what the model would be sent now" },
      record,
      cwd,
      color,
      plain,
      verbose
    ],
    ["belay task show last", "belay task show 3f9c --messages --output json"]
  ),
  command(
    "task tree",
    "ID",
    "A task and its subtasks",
    [1, 1],
    [record, cwd, color, plain, verbose],
    ["belay task tree last"]
  ),
  command(
    "task watch",
    "ID",
    "Follow a task, wherever it runs",
    [1, 1],
    [
      { name: "from", value: "SEQ", about: "replay durable events from SEQ on (1)" },
      output,
      cwd,
      color,
      plain,
      verbose
    ],
    ["belay task watch last", "belay task watch 3f9c --output stream-json --from 100"]
  ),
  command(
    "task resume",
    "ID [message...]",
    "Go on with a task that stopped",
    [1, Infinity],
    [
      ...running,
      { name: "take-over", about: "take it from a live process" },
      { name: "only", value: "CHILD", about: "resume only this subtask" }
    ],
    ["belay task resume last", 'belay task resume 3f9c "use the second approach" --mode act']
  ),
  command(
    "task interrupt",
    "ID",
    "Stop a task; it stays resumable",
    [1, 1],
    [record, cwd, color, verbose],
    ["belay task interrupt last"]
  ),
  command(
    "task abandon",
    "CHILD",
    "Go on without a subtask; its parent is told",
    [1, 1],
    [{ name: "yes", about: "without asking" }, record, cwd, color, verbose],
    ["belay task abandon 3f9c"]
  ),
  command(
    "task redelegate",
    "CHILD [message...]",
    "Start a stopped subtask over, with the same or other instructions",
    [1, Infinity],
    [record, cwd, color, verbose],
    ["belay task redelegate 3f9c", 'belay task redelegate 3f9c "only the parser"']
  ),
  command(
    "task close",
    "ID [note...]",
    "End a stopped task; the note is its result",
    [1, Infinity],
    [
      { name: "outcome", value: "succeeded|failed|cancelled", about: "how it ended (cancelled)" },
      record,
      cwd,
      color,
      verbose
    ],
    ['belay task close last --outcome succeeded "done by hand"']
  ),
  command(
    "task continue",
    "ID text...",
    "Go on after a completed task, in a new one with its conversation",
    [2, Infinity],
    running,
    ['belay task continue last "now the documentation"']
  ),
  command(
    "task fork",
    "ID [text...]",
    "A new task from a message of another",
    [1, Infinity],
    [{ name: "to", value: "MESSAGE", about: "the last message it has, counted from 0" }, ...running],
    ['belay task fork last --to 4 "try it without a cache"']
  ),
  command(
    "task compare",
    "ID",
    "What has changed in the workspace since a message of a task",
    [1, 1],
    [{ name: "to", value: "MESSAGE", about: "the message, counted from 0" }, record, cwd, color, verbose],
    ["belay task compare last --to 4"]
  ),
  command(
    "task restore",
    "ID",
    "Take files and conversation of a stopped task back to a message",
    [1, 1],
    [
      { name: "to", value: "MESSAGE", about: "the last message that stays, counted from 0" },
      { name: "only", value: "files|conversation", about: "the one without the other" },
      { name: "undo", about: "take the last restore back instead" },
      record,
      cwd,
      color,
      verbose
    ],
    ["belay task restore last --to 4", "belay task restore 3f9c --undo"]
  ),
  command(
    "task rename",
    "ID TITLE",
    "Give a task another title",
    [2, Infinity],
    [record, cwd, color, verbose],
    ['belay task rename last "Release 2.0"']
  ),
  command(
    "task delete",
    "ID",
    "Delete a task that does not run",
    [1, 1],
    [{ name: "children", value: "delete|keep", about: "what happens to its subtasks" }, record, cwd, color, verbose],
    ["belay task delete 3f9c --children delete"]
  ),
  command(
    "task send",
    "ID TEXT",
    "Say something to a task, wherever it runs",
    [2, Infinity],
    [record, cwd, color, verbose],
    ['belay task send last "leave the tests alone"']
  ),
  command(
    "task answer",
    "ID ASKID",
    "Answer one ask; the first answer counts",
    [2, 2],
    [
      { name: "allow", about: "what it asks for may happen" },
      { name: "deny", about: "it may not" },
      { name: "text", value: "T", about: "an answer in words, or what to do instead" },
      record,
      cwd,
      color,
      verbose
    ],
    ["belay task answer last ASKID --allow", 'belay task answer 3f9c ASKID --text "blue"']
  ),
  command(
    "task mode",
    "ID plan|act",
    "Switch a task; act answers a plan that waits",
    [2, 2],
    [{ name: "text", value: "T", about: "what the task is to know with it" }, record, cwd, color, verbose],
    ["belay task mode last act"]
  ),
  command(
    "policy explain",
    "[command...]",
    "Why a command or a tool call would run, ask or be denied",
    [0, Infinity],
    [
      { name: "tool", value: "NAME", about: "another tool than execute_command" },
      { name: "args", value: "JSON", about: "its arguments" },
      { name: "approvals", value: "ask|edits|all|FILE|{json}", about: "what runs without asking (ask)" },
      { name: "mode", value: "plan|act", about: "the mode of the task (act)" },
      { name: "unattended", about: "nobody is there to ask" },
      { name: "batch", about: "calls on stdin, one JSON object a line" },
      record,
      cwd,
      color,
      plain,
      verbose
    ],
    ['belay policy explain "git push --force" --approvals all', "belay policy explain --batch < calls.ndjson"]
  ),
  command(
    "config get",
    "NAME",
    "One of your settings",
    [1, 1],
    [record, color, verbose],
    ["belay config get model.act"]
  ),
  command(
    "config set",
    "NAME VALUE",
    "Change one of your settings; null takes it out",
    [2, 2],
    [color, verbose],
    ["belay config set budget.maxCostUsd 5", `belay config set approvals.commands.allow '["npm test"]'`]
  ),
  command(
    "config list",
    "",
    "Your settings",
    [0, 0],
    [{ name: "all", about: "also the names of all others" }, record, color, verbose],
    ["belay config list"]
  ),
  command(
    "auth",
    "",
    "Keep a key for a host; it is typed unseen or comes on stdin",
    [0, 0],
    [
      { name: "host", value: "HOST", about: "whose key (that of the base URL, else api.anthropic.com)" },
      { name: "remove", about: "remove it instead" },
      color,
      verbose
    ],
    ["belay auth", "belay auth --host localhost:8080 < key.txt"]
  ),
  command(
    "mcp list",
    "",
    "The MCP servers of you and of this folder; none is started",
    [0, 0],
    [record, cwd, plain, color, verbose],
    ["belay mcp list"]
  ),
  command(
    "mcp add",
    "NAME [-- COMMAND ARGS...]",
    "Add an MCP server: a program, or a URL",
    [1, Infinity],
    [
      { name: "url", value: "URL", about: "a server that is reached by streamable HTTP" },
      { name: "env", value: "NAME=VALUE", many: true, about: "for the program; ${env:X} is X of the environment" },
      { name: "header", value: "'Name: value'", many: true, about: "for the URL; ${env:X} is X of the environment" },
      { name: "timeout", value: "N", about: "seconds that a call may take (120)" },
      color,
      verbose
    ],
    [
      "belay mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
      "belay mcp add docs --url https://example.com/mcp --header 'X-Key: ${env:DOCS}'"
    ]
  ),
  command(
    "mcp remove",
    "NAME",
    "Take an MCP server out of your file",
    [1, 1],
    [color, verbose],
    ["belay mcp remove files"]
  ),
  command(
    "mcp test",
    "NAME",
    "Start an MCP server and show what it offers",
    [1, 1],
    [
      { name: "approve", about: "approve its tools as they describe themselves now" },
      record,
      cwd,
      color,
      plain,
      verbose
    ],
    ["belay mcp test files", "belay mcp test files --approve"]
  ),
  command("demo", "", "The whole system on a sample workspace; needs no key", [0, 0], [color, verbose], ["belay demo"]),
  command("debug failpoints", "", "The names BELAY_FAILPOINT takes, one a line", [0, 0], [], ["belay debug failpoints"])
]

/** Commands of the contract that a later version brings. */
export const later: ReadonlyArray<string> = [
  ..."search stats export".split(" ").map((verb) => `task ${verb}`),
  "history",
  "rescue",
  "mcp serve",
  "acp",
  "completion",
  "completions"
]
