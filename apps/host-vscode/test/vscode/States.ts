/** What a conversation's view is told in each of its states, as its host tells it. */
import { Copy, type Row, type View, Words } from "@belay/interaction"
import { approvals, command, question } from "./StatesOfAsks.ts"
import * as Subtasks from "./StatesOfSubtasks.ts"
import { line } from "./StatesOfSubtasks.ts"

export type Snapshot = Extract<View.ToView, { readonly type: "snapshot" }>

const at = Date.UTC(2026, 9, 1, 13, 58)

export const header = (state: Words.State, more: Partial<View.Header> = {}): View.Header => ({
  ...line("t", "Release 2.0: parser, command line and docs", state),
  above: [],
  mode: "act",
  model: "claude-opus-4.8",
  context: { tokens: 76_000, limit: 200_000 },
  queues: false,
  done: false,
  bars: [],
  children: {},
  ...more
})

const row = (id: string, body: Row.Body): Row.Row => ({ id, ts: at, ...body })

export const said = (id: string, by: "you" | "assistant", text: string): Row.Row => row(id, { kind: "said", by, text })

export const call = (id: string, name: string, subject: string, more: Partial<Row.Call> = {}): Row.Row =>
  row(id, { kind: "call", name, subject, state: "done", edits: [], output: "", ...more })

const begun = [
  row("a", { kind: "said", by: "you", text: "Cut release 2.0: parser, CLI, docs. @src @problems", message: 1 })
]

const markdown = `I split this into **three parts**. The parser comes first, since \`src/cli.ts\` needs it.

1. Write the parser, with [tests](src/parse.test.ts:12)
2. Wire the command line
   - keep \`--json\` as it is
   - [x] done

> Nothing is published before you have looked at it.

| part | files | state |
|---|---|---|
| parser | 4 | done |
| command line | 2 | next |

\`\`\`ts
export const parse = (text: string): ReadonlyArray<Token> => scan(text).filter((token) => token.kind !== "blank" && token.length > 0)
\`\`\``

/** `left`: lines that are not shown. */
const changeOf = (path: string, left: number): NonNullable<Row.Call["changes"]>[number] => ({
  path,
  added: left + 2,
  removed: 1,
  lines: [
    { op: " ", text: "export const parse = (text: string) => {" },
    { op: "-", text: "  return scan(text)" },
    { op: "+", text: "  const tokens = scan(text)" },
    { op: "+", text: '  return tokens.filter((token) => token.kind !== "blank" && token.length > 0)' },
    { op: " ", text: "}" }
  ],
  left
})

const worked: ReadonlyArray<Row.Row> = [
  ...begun,
  row("b", { kind: "thinking", text: "The parser has no tests yet, so those come first." }),
  said("c", "assistant", markdown),
  ...["src/cli.ts", "src/scan.ts"].map((file) => call(`r${file}`, "read_file", file)),
  call("s", "search_files", "parse\\("),
  call("e", "replace_in_file", "src/parse.ts", {
    decided: "allowed: src/** (task)",
    edits: ["M src/parse.ts  +41 −12"],
    changes: [changeOf("src/parse.ts", 41)],
    output: "Applied."
  }),
  call("p", "apply_patch", "", {
    edits: ["M src/cli.ts  +2 −1", "M docs/a-rather-long-name-of-a-file-that-has-to-wrap-somewhere.md  +3 −0"],
    changes: [
      changeOf("src/cli.ts", 0),
      changeOf("docs/a-rather-long-name-of-a-file-that-has-to-wrap-somewhere.md", 3)
    ],
    output: "Applied."
  }),
  call("x", "execute_command", "npm test -- --run test/parse.test.ts", {
    ms: 8000,
    decided: "you allowed it once",
    output: "14 passed\n… 2,290 lines left out …\nDone in 8 s",
    left: 2290,
    seq: 9
  }),
  call("f", "execute_command", "npm run lint", { state: "failed", ms: 2000, output: "1 problem" }),
  call("u", "execute_command", "git push", { state: "unknown" }),
  row("n1", { kind: "note", tone: "warning", text: Copy.restartUnknown("git push") }),
  row("n2", { kind: "note", tone: "quiet", text: Copy.condenseDone(212) }),
  row("n3", { kind: "note", tone: "error", text: "The service refused the key (401)." })
]

const subtasks = row("k", { kind: "subtasks", children: Subtasks.begun("c1", "c2", "c3") })

const bar = (text: string, ...titles: ReadonlyArray<string>): View.Bar => ({
  tone: "warning",
  text,
  buttons: titles.map((title, index) => ({ title, deed: "resume", primary: index === 0 }))
})

const welcome = (text: string, more: Partial<View.Welcome> = {}): Partial<Snapshot> => ({
  task: null,
  header: null,
  rows: [],
  welcome: { text, buttons: [], recent: [], canStart: true, mode: "act", ...more }
})

const running = header("running", {
  queues: true,
  deeds: ["stop"],
  checklist: "3/7",
  list: [
    { state: "done", text: "Write the parser" },
    { state: "doing", text: "Wire the command line" },
    { state: "open", text: "Publish" }
  ],
  approvals: "reads",
  others: 2,
  context: { tokens: 38_000 }
})

const asking = (of: ReadonlyArray<View.Ask>, more: Partial<View.Header> = {}): Partial<Snapshot> => ({
  header: header("needsYou", { queues: true, deeds: ["stop"], ...more }),
  rows: [...begun, said("c", "assistant", "I can publish it now.")],
  asks: of
})

const stopped = (text: string, ...titles: ReadonlyArray<string>): Partial<Snapshot> => ({
  header: header("interrupted", { bars: [bar(text, ...titles)] }),
  rows: worked.slice(0, 3)
})

const planning: Partial<View.Header> = {
  mode: "plan",
  planning: { phase: 2, names: ["look", "questions", "plan", "hand over"] }
}

const states: Readonly<Record<string, Partial<Snapshot>>> = {
  "no-folder": welcome("Open a folder to start a task. Belay reads and changes files only there.", {
    buttons: [{ title: "Open folder", deed: "openFolder", primary: true }],
    canStart: false
  }),
  "no-key": welcome("Belay needs access to a model.", {
    buttons: [
      { title: "Enter an Anthropic key", deed: "setKey", primary: true },
      { title: "This server needs no key", deed: "useNoKey" },
      { title: "Try the demo without a key", deed: "demo" }
    ],
    canStart: false
  }),
  empty: welcome("What would you like to do?", {
    recent: [line("1", "Release 2.0", "blocked", { deeds: ["resume"] }), line("2", "Fix the flaky test", "needsYou")]
  }),
  waiting: { header: running, rows: begun },
  streaming: {
    header: running,
    rows: worked,
    live: markdown,
    queued: [{ id: "1", text: "And the changelog", pictures: 1 }]
  },
  work: { header: running, rows: worked, draft: "Also update the changelog" },
  "other-entries": {
    header: running,
    earlier: 12,
    rows: [
      row("o", { kind: "said", by: "notice", text: "The person changed the checklist." }),
      row("p", { kind: "said", by: "report", text: "Parser in src/parse.ts with 14 tests." }),
      call("q", "execute_command", "npm run build", { state: "running" }),
      call("w", "write_to_file", "docs/cli.md", { state: "requested" }),
      row("d", {
        kind: "question",
        ask: "question",
        text: "Which **tag**?",
        options: ["next", "latest"],
        answer: "next"
      }),
      row("g", { kind: "checkpoint", text: Copy.checkpoint({ files: 4 }), files: 4, message: 3, to: 4 }),
      row("h", { kind: "restored", text: Copy.checkpoint({ files: 4, moment: "restore" }), undo: true }),
      row("v", { kind: "question", ask: "plan", text: "1. Parse\n2. Print", options: [] })
    ]
  },
  ...Object.fromEntries(
    Object.entries(approvals).map(([name, of]) => [name, asking(of, name === "plan" ? planning : {})])
  ),
  "asks-again": {
    ...asking([{ ...command, blocked: "The task is stopped. Resume it: it asks again." }]),
    header: header("needsYou", { bars: [bar(`Interrupted. ${Copy.restartAsk("run npm publish")}`, "Resume")] })
  },
  subtasks: {
    header: header("waiting", { label: "Waiting for 2", children: Subtasks.children }),
    rows: [...begun, subtasks]
  },
  "subtasks-replaced": {
    header: header("blocked", {
      children: Subtasks.replaced,
      bars: [
        {
          tone: "warning",
          text: Copy.subtaskUnreadable,
          buttons: [
            { title: "Check history", deed: "checkHistory", primary: true },
            { title: "Resume", deed: "resume" }
          ]
        }
      ]
    }),
    rows: [
      ...begun,
      row("k", { kind: "subtasks", children: Subtasks.begun("c1", "c2") }),
      row("k2", { kind: "subtasks", children: [{ id: "c4", title: "" }] })
    ]
  },
  blocked: {
    header: header("blocked", {
      children: Subtasks.children,
      bars: [
        bar(
          Copy.subtaskInterruptedParent({ child: "Update the docs", reason: "VS Code was closed" }),
          "Resume subtask",
          "Abandon…",
          "Restart…"
        )
      ]
    }),
    rows: [...begun, subtasks]
  },
  subtask: {
    ...stopped(
      Copy.subtaskInterruptedChild({ parent: "Release 2.0", reason: "VS Code was closed" }),
      "Resume",
      "Abandon…",
      "Open parent"
    ),
    header: header("interrupted", {
      title: "Update the docs",
      above: [
        { id: "r", title: "Release 2.0" },
        { id: "s", title: "Write everything that people read" }
      ],
      bars: [bar('Interrupted. "Release 2.0" is waiting for this result.', "Resume", "Abandon…", "Open parent")]
    })
  },
  stopped: stopped("You stopped this task. Everything so far is kept.", "Resume"),
  "no-access": stopped("Interrupted: the service failed.", "Resume", "Change key"),
  restricted: {
    header: header("running", { bars: [bar(Copy.untrusted, "Manage trust")] }),
    rows: begun,
    notice: Copy.viewReloaded
  },
  elsewhere: {
    header: header("elsewhere", { mute: Copy.elsewhere({ pid: 4242, host: "dev-box" }) }),
    rows: begun
  },
  done: {
    header: header("done", {
      done: true,
      bars: [{ tone: "done", text: "Done · $1.12", buttons: [{ title: "Open parent", deed: "openParent" }] }]
    }),
    rows: [...begun, row("z", { kind: "result", outcome: "succeeded", text: markdown })]
  },
  "turn-over": {
    header: header("done", { approvals: "edits", bars: [{ tone: "done", text: "Done · $0.12", buttons: [] }] }),
    rows: [
      ...begun,
      row("g", { kind: "checkpoint", text: Copy.checkpoint({ files: 4 }), files: 4, message: 3, to: 4 }),
      { ...said("z", "assistant", markdown), ts: at + 125_000 }
    ]
  },
  long: {
    header: header("running", { title: `Look at ${"averylongnamewithoutablank".repeat(6)}`, queues: true }),
    rows: [said("l", "you", `${"x".repeat(300)}\n${question}`), call("m", "read_file", "y/".repeat(120))],
    asks: [],
    queued: ["First", "Second", "Third", "Fourth"].map((text, index) => ({
      id: text,
      text: `${text} ${index}`,
      pictures: 0
    }))
  }
}

export const whole = (id: string, part: Partial<Snapshot>): Snapshot => ({
  type: "snapshot",
  n: 1,
  task: id,
  header: null,
  welcome: null,
  rows: [],
  asks: [],
  queued: [],
  pictures: [],
  live: "",
  draft: "",
  ...part
})

/** By their names, those that ask one after another. */
export const all: ReadonlyArray<readonly [name: string, state: Snapshot]> = Object.entries(states).map(
  ([name, part]) => [name, whole((part.asks ?? []).length === 0 ? `state-${name}` : "state-asks", part)]
)

/** Those with no colours that others have not. */
export const likeOthers: ReadonlySet<string> = new Set(
  "no-folder no-key waiting edit repeat limit asks-again subtasks-replaced blocked subtask stopped no-access done long".split(
    " "
  )
)
