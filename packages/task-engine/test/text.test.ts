import { duration, interruption, McpServer, Sentences, TaskState, title } from "@belay/task-engine/text"
import { assert, describe, it } from "vitest"
import * as Title from "../src/prompt/Title.ts"

const idle: TaskState.Facts = {
  status: "active",
  derived: null,
  outcome: null,
  openAsks: 0,
  alive: false,
  here: false
}

describe("the state that is shown", () => {
  it("follows the precedence of the interface", () => {
    const cases: ReadonlyArray<readonly [Partial<TaskState.Facts>, TaskState.State]> = [
      [{ openAsks: 1, alive: true, here: true }, "needsYou"],
      [{ status: "interrupted", openAsks: 1 }, "needsYou"],
      [{ openAsks: 1, isIdle: true, alive: true, here: true }, "needsYou"],
      [{ isIdle: true, alive: true, here: true }, "done"],
      [{ status: "interrupted", isIdle: true }, "done"],
      [{ alive: true, here: true }, "running"],
      [{ alive: true }, "elsewhere"],
      [{ status: "created", derived: "queued" }, "queued"],
      [{ status: "delegated", derived: "running", alive: true, awaited: 0 }, "waiting"],
      [{ status: "delegated", derived: "orphaned" }, "waiting"],
      [{ status: "delegated", derived: "orphaned", awaited: 1 }, "waiting"],
      [{ status: "delegated", derived: "orphaned", awaited: 0 }, "blocked"],
      [{ status: "delegated", derived: "blocked", alive: true }, "blocked"],
      [{ status: "delegated", derived: "ready" }, "ready"],
      [{ status: "interrupted", derived: "ready" }, "ready"],
      [{ status: "interrupted" }, "interrupted"],
      [{ derived: "orphaned" }, "interrupted"],
      [{ status: "completed", outcome: "succeeded", openAsks: 1 }, "done"],
      [{ status: "completed", outcome: "failed" }, "failed"],
      [{ status: "completed", outcome: "cancelled" }, "cancelled"]
    ]
    for (const [facts, state] of cases) assert.strictEqual(TaskState.of({ ...idle, ...facts }), state)
    // A record that cannot be read has no facts to tell a state from.
    assert.deepStrictEqual(
      [...new Set(cases.map(([, state]) => state)), "unreadable"].toSorted(),
      Object.keys(TaskState.labels).toSorted()
    )
  })
})

describe("why a task stopped", () => {
  it("names the program that was closed, where its kind is known", () => {
    assert.strictEqual(interruption("host", { kind: "vscode" }), "VS Code was closed")
    assert.strictEqual(interruption("host", { kind: "cli" }), "the program was closed")
    assert.strictEqual(interruption("crash", { kind: "vscode" }), "the process ended")
  })
})

describe("a time", () => {
  it("is short", () => {
    assert.deepStrictEqual([8000, 252_000, 3_840_000].map(duration), ["8s", "4m 12s", "1h 04m"])
  })
})

describe("a title that a person gives", () => {
  it("is one short line, and nothing when there is nothing to see", () => {
    assert.strictEqual(title("  Release\n 2.0 \u0007"), "Release 2.0")
    assert.strictEqual(title("👩".repeat(100)), "👩".repeat(80))
    for (const text of ["", " \n", "\u200B\u202E", "\u0000"]) assert.isUndefined(title(text))
  })
})

describe("a title that is taken from a message", () => {
  it("is its first line without the mentions that it begins with, where there are other words", () => {
    const titles = [
      '@/src/cart.ts @"/my notes/a.md":3 Mend the discount\nand more',
      "Mend @/a.ts",
      "@/a.ts",
      "@/a.ts @/b.ts"
    ]
    assert.deepStrictEqual(titles.map(Title.of), ["Mend the discount", "Mend @/a.ts", "@/a.ts", "@/a.ts @/b.ts"])
  })
})

describe("the MCP server of a call", () => {
  it("is found by the names of other agents, too", () => {
    assert.strictEqual(McpServer.of({ server: "a", tool: "b" }), "a")
    assert.strictEqual(McpServer.of({ server_name: "a", tool_name: "b" }), "a")
    assert.isUndefined(McpServer.of({ server: "a" }))
  })
})

describe("a sentence of the engine", () => {
  const evil = "a\u001B[2J\n\u202Eb"
  const all: Record<keyof typeof Sentences, string> = {
    alwaysMoved: Sentences.alwaysMoved,
    alwaysUnconfirmed: Sentences.alwaysUnconfirmed,
    askStale: Sentences.askStale(evil),
    handOver: Sentences.handOver,
    switchedToAct: Sentences.switchedToAct,
    otherModel: Sentences.otherModel({ asked: evil, answered: evil, service: evil }),
    outage: Sentences.outage(evil),
    waitsElsewhere: Sentences.waitsElsewhere("t", evil, "it may not"),
    writing: Sentences.writing({ task: evil, path: evil })
  }

  it("is one line that nothing put into it can break or steer", () => {
    // oxlint-disable-next-line no-control-regex
    for (const [id, text] of Object.entries(all)) assert.notMatch(text, /[\u0000-\u001F\u202E]/, id)
  })
})
