/** The commands around the tasks: rules, settings, keys, servers, and Belay itself. */
import { approvals, type Command, color, command, cwd, plain, record, toolRules, verbose } from "./Command.ts"

export const setupCommands: ReadonlyArray<Command> = [
  command(
    "policy explain",
    "[command...]",
    "Why a command or a tool call would run, ask or be denied",
    [0, Infinity],
    [
      { name: "tool", value: "NAME", about: "another tool than execute_command" },
      { name: "args", value: "JSON", about: "its arguments" },
      approvals,
      ...toolRules,
      { name: "mode", value: "plan|act", about: "the mode of the task (act)" },
      { name: "unattended", about: "nobody is there to ask" },
      { name: "batch", about: "calls on stdin, one JSON object a line" },
      { name: "env", about: "which variables of the environment commands see, and why" },
      record,
      cwd,
      color,
      plain,
      verbose
    ],
    [
      'belay policy explain "git push --force" --approvals all',
      "belay policy explain --batch < calls.ndjson",
      "belay policy explain --env"
    ]
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
    ["belay config set budget.maxCostUsd 5", `belay config set approvals.commands.allow '["npm test"]'`],
    true
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
      { name: "host", value: "HOST", about: "the host (that of the base URL, else api.anthropic.com)" },
      { name: "service", value: "NAME", about: "the host of a service by its name, such as openrouter" },
      { name: "mode", value: "plan|act", about: "for this mode alone, which has a server of its own" },
      { name: "remove", about: "remove it instead" },
      color,
      verbose
    ],
    ["belay auth", "belay auth --service openrouter", "belay auth --host localhost:8080 < key.txt"],
    true
  ),
  command(
    "models test",
    "ID",
    "Test what a model can do, in six small requests; later runs keep to what works",
    [1, 1],
    [{ name: "mode", value: "plan|act", about: "whose server is asked (act)" }, record, color, verbose],
    ["belay models test qwen3-coder", "belay models test sonnet --mode plan"]
  ),
  command(
    "models",
    "",
    "What is known of models: limits, prices, short names",
    [0, 0],
    [record, plain, color, verbose],
    ["belay models", "belay models --output json"]
  ),
  command(
    "trust",
    "",
    "Trust what this folder brings: settings, rules, skills, commands, agents, MCP servers",
    [0, 0],
    [
      { name: "yes", about: "trust it without asking; what changes later is not trusted" },
      { name: "full", about: "show all of each file, not how it begins" },
      { name: "remove", about: "trust it no longer" },
      cwd,
      color,
      verbose
    ],
    ["belay trust", "belay trust --full", "belay trust --yes"],
    true
  ),
  command(
    "allowed remove",
    "N|TEXT",
    "Take back what you allowed always: by its number in the list, or by its text",
    [1, 1],
    [{ name: "all", about: "of any folder; numbers are those of the list with --all" }, cwd, color, verbose],
    ["belay allowed remove 2", 'belay allowed remove "npm test"']
  ),
  command(
    "allowed everywhere",
    "COMMAND",
    "Let an exact command of your settings, from an earlier version, hold in every folder",
    [1, 1],
    [color, verbose],
    ['belay allowed everywhere "npm test"'],
    true
  ),
  command(
    "allowed",
    "",
    "What you allowed always in this folder",
    [0, 0],
    [{ name: "all", about: "in every folder" }, record, cwd, plain, color, verbose],
    ["belay allowed", "belay allowed --all"]
  ),
  command(
    "mcp list",
    "",
    "Your MCP servers and those of this folder; none is started",
    [0, 0],
    [record, cwd, plain, color, verbose],
    ["belay mcp list"]
  ),
  command(
    "mcp add",
    "NAME [URL | -- COMMAND ARGS...]",
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
      "belay mcp add docs https://example.com/mcp --header 'X-Key: ${env:DOCS}'"
    ],
    true
  ),
  command(
    "mcp remove",
    "NAME",
    "Remove an MCP server from your file",
    [1, 1],
    [color, verbose],
    ["belay mcp remove files"],
    true
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
    ["belay mcp test files", "belay mcp test files --approve"],
    ["approve"]
  ),
  command(
    "history import",
    "DIR",
    "Take over the tasks of Cline, Roo Code or Zoo Code; their folder stays as it is",
    [1, 1],
    [
      { name: "from", value: "cline|roo|zoo", about: "the program (told by the folder)" },
      { name: "dry-run", about: "say what it would do, and write nothing" },
      record,
      color,
      verbose
    ],
    ["belay history import ./rooveterinaryinc.roo-cline --dry-run"]
  ),
  command(
    "history export",
    "DIR",
    "Write all tasks as Zoo Code or Roo Code keep theirs; what is in the folder stays",
    [1, 1],
    [{ name: "to", value: "zoo|roo", about: "the program; both read the same files (zoo)" }, record, color, verbose],
    ["belay history export ./for-zoo --to zoo"]
  ),
  command(
    "history backup",
    "FILE",
    "Write the whole history into one new file, while others go on with it",
    [1, 1],
    [record, color, verbose],
    ["belay history backup ~/belay-monday.db"]
  ),
  command(
    "history doctor",
    "",
    "Check every record of the history, and repair what dead processes left",
    [0, 0],
    [{ name: "repair", about: "repair it, after a copy of the history was made" }, record, color, verbose],
    ["belay history doctor", "belay history doctor --repair"]
  ),
  command(
    "completions",
    "bash|zsh|fish|powershell",
    "A script that makes your shell complete belay",
    [1, 1],
    [],
    ['eval "$(belay completions bash)"', "belay completions fish | source"]
  ),
  command("demo", "", "The whole system on a sample workspace; needs no key", [0, 0], [color, verbose], ["belay demo"]),
  command("debug failpoints", "", "The names BELAY_FAILPOINT takes, one a line", [0, 0], [], ["belay debug failpoints"])
]
