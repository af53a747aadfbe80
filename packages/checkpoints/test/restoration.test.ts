import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@belay/task-state"
import { type Checkpoint, CheckpointId, Timeline } from "@belay/checkpoints"
import { isGitName, isNamed, plan } from "../src/internal/restoration.ts"

const file = { kind: "file", blob: "0".repeat(40) } as const

describe("the plan of a restore", () => {
  it("touches no name that any file system opens as .git", () => {
    const names = [
      ".git",
      ".GIT",
      "git~1",
      "GIT~2",
      ".git.",
      ".git . ",
      ".git::$INDEX_ALLOCATION",
      ".g\u200cit",
      "\ufeff.git"
    ]
    for (const name of names) assert.isTrue(isGitName(name), name)
    for (const name of [".gitignore", ".github", "git", ".git-old", "git~", "x.git"])
      assert.isFalse(isGitName(name), name)
    const { kept, writes } = plan({
      differences: [
        { file: "sub/.Git/config", to: file },
        { file: ".gitignore", to: file }
      ],
      leftOut: new Set(),
      foldsCase: false
    })
    assert.deepStrictEqual([...kept], [["sub/.Git/config", "protected"]])
    assert.deepStrictEqual(
      writes.map((write) => write.file),
      [".gitignore"]
    )
  })

  it("leaves the workspace for no path", () => {
    const outside = ["../x", "a/../../x", "/x", "a//x", "./x", "..\\x"]
    const differences = outside.map((name) => ({ file: name, from: file }))
    const { first, kept, removals } = plan({ differences, leftOut: new Set(), foldsCase: false })
    assert.deepStrictEqual([first.length, removals.length, kept.size], [0, 0, outside.length])
  })

  it("does not remove the other spelling of a file that it writes, where the two are one file", () => {
    const differences = [
      { file: "README.md", from: file },
      { file: "readme.md", to: file }
    ]
    const removals = (foldsCase: boolean) => plan({ differences, leftOut: new Set(), foldsCase }).removals
    assert.deepStrictEqual(removals(true), [])
    assert.deepStrictEqual(removals(false), ["README.md"])
  })

  it("removes first what is in the way of a write, above it or below it", () => {
    const differences = [
      { file: "a", from: file },
      { file: "a/b", to: file },
      { file: "c", to: file },
      { file: "c/d/e", from: file },
      { file: "f", from: file }
    ]
    const { first, removals } = plan({ differences, leftOut: new Set(), foldsCase: false })
    assert.deepStrictEqual([first, removals], [["a", "c/d/e"], ["f"]])
  })

  it("takes named files and folders by whole parts, in either Unicode form, and case where the system folds it", () => {
    const named = isNamed(["./src/", "Docs", "caf\u00e9.md"], false)
    const asBytes = (name: string) => Buffer.from(name).toString("latin1")
    const files = ["src/a", "srcs/a", "docs/a", "Docs/a", "caf\u00e9.md", "cafe\u0301.md"].map(asBytes)
    assert.deepStrictEqual(files.map(named), [true, false, false, true, true, true])
    assert.isTrue(isNamed(["Docs"], true)("docs/a"))
    assert.isTrue(isNamed(undefined, false)("anything"))
  })
})

const checkpoint = (task: string, messageIndex: number, moment: Checkpoint["moment"], at: number): Checkpoint => ({
  id: CheckpointId.make(at.toString(16).padStart(40, "0")),
  taskId: TaskId.TaskId.make(task),
  messageIndex,
  moment,
  at,
  files: 0,
  tree: "",
  leftOut: []
})

describe("the timeline", () => {
  const all = [
    checkpoint("a", 1, "before", 10),
    checkpoint("a", 1, "after", 20),
    checkpoint("b", 7, "before", 25),
    checkpoint("b", 7, "after", 30),
    checkpoint("a", 5, "before", 40),
    checkpoint("a", 5, "after", 50)
  ]

  it("finds the state at a message: before the first change from it on, or the present", () => {
    const own = all.filter(({ taskId }) => taskId === "a")
    const at = (messageIndex: number) => Timeline.stateAt(own, messageIndex)?.at
    assert.deepStrictEqual([0, 1, 2, 5, 6].map(at), [10, 10, 40, 40, undefined])
  })

  it("gives the time between turns to the user, and the turns of another task to it", () => {
    const since = (at: number) =>
      Timeline.stretchesSince(all, checkpoint("a", 0, "before", at).id).map(
        ({ from, task, to }) => `${task ?? "user"}: ${from.at} to ${to?.at ?? "now"}`
      )
    assert.deepStrictEqual(since(10), ["user: 20 to 40", "b: 25 to 30", "user: 50 to now"])
    assert.deepStrictEqual(since(40), ["user: 50 to now"])
  })
})
