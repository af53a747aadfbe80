import { FilesInPlay, Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"

const tools = new Map<string, FilesInPlay.Use>([
  ["read_file", "read"],
  ["write_to_file", "changed"],
  ["apply_patch", "changed"]
])

const fileCall = ({ input, name }: Message.ToolUseBlock): FilesInPlay.FileCall | undefined => {
  const use = tools.get(name)
  return use === undefined ? undefined : { use, args: input }
}

interface Call {
  readonly name: string
  readonly input: object
  readonly outcome?: "refused" | "open"
}

const call = (name: string, path: string, outcome?: Call["outcome"]): Call => ({
  name,
  input: { path },
  ...(outcome === undefined ? {} : { outcome })
})

/** Each call an answer of its own with its result. */
const log = (...calls: ReadonlyArray<Call>): ReadonlyArray<Message.LoggedMessage> =>
  calls.flatMap(({ input, name, outcome }, at): ReadonlyArray<Message.LoggedMessage> => {
    const id = `call-${at}`
    const result: Message.ToolResultBlock = {
      type: "tool_result",
      tool_use_id: id,
      content: [Message.text("result")],
      ...(outcome === "refused" ? { is_error: true } : {})
    }
    return [
      { index: 2 * at + 1, role: "assistant", content: [{ type: "tool_use", id, name, input }] },
      ...(outcome === "open" ? [] : [{ index: 2 * at + 2, ...Message.user(result) }])
    ]
  })

const inPlay = (...calls: ReadonlyArray<Call>) => FilesInPlay.of(FilesInPlay.inMessages(log(...calls), fileCall))

describe("files in play", () => {
  it("are named newest first, changed ones as changed when they were read later", () => {
    assert.deepStrictEqual(
      inPlay(call("read_file", "a.ts"), call("write_to_file", "b.ts"), call("read_file", "b.ts"), call("ls", "c.ts")),
      [
        ["b.ts", "changed"],
        ["a.ts", "read"]
      ]
    )
  })

  it("are none of a call that failed, was refused or has no result", () => {
    assert.deepStrictEqual(
      inPlay(
        call("read_file", "a.ts"),
        call("write_to_file", "a.ts", "refused"),
        call("write_to_file", "b.ts", "refused"),
        call("write_to_file", "c.ts", "open")
      ),
      [["a.ts", "read"]]
    )
  })

  it("are what a patch adds, updates, deletes and moves", () => {
    const patch = [
      "*** Begin Patch",
      "*** Add File: new.ts",
      "+*** Delete File: x.ts",
      "*** Update File: old.ts",
      "*** Move to: moved.ts",
      "@@",
      "-1",
      "+2",
      "*** Update File: same.ts",
      "@@",
      "-1",
      "+2",
      "*** Delete File: gone.ts",
      "*** End Patch"
    ].join("\n")
    const patched = { name: "apply_patch", input: { patch } }
    assert.deepStrictEqual(inPlay(call("read_file", "gone.ts"), patched), [
      ["gone.ts", "deleted"],
      ["same.ts", "changed"],
      ["moved.ts", "changed"],
      ["old.ts", "deleted"],
      ["new.ts", "changed"]
    ])
    assert.deepStrictEqual(inPlay(patched, call("write_to_file", "gone.ts"))[0], ["gone.ts", "changed"])
  })

  it("survive a second stand-in, word for word", () => {
    const files: FilesInPlay.FilesInPlay = [
      ["b (1).ts", "changed"],
      ["a.ts", "read"],
      ["gone.ts", "deleted"]
    ]
    const text = FilesInPlay.text(files)
    assert.strictEqual(text, "Files in play:\n- b (1).ts (changed)\n- a.ts (read)\n- gone.ts (deleted)")
    const standIn = { index: 1, ...Message.user(Message.text(`summary\n\n${text}\n\nSubtasks`)) }
    assert.deepStrictEqual(FilesInPlay.of(FilesInPlay.inMessages([standIn], fileCall)), files)
    const many = Array.from({ length: 103 }, (_, at) => [`${at}.ts`, "read"] as const)
    assert.isTrue(FilesInPlay.text(many).endsWith("- 99.ts (read)\n- and 3 more"))
  })
})
