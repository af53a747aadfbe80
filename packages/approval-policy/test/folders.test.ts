/** Folders outside the workspace that count as it does. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { edit, file, read } from "./fixtures.ts"

const approvals: Approvals.Approvals = { ...Approvals.edits, folders: ["/other/lib"] }
const decided = (input: Parameters<typeof ApprovalPolicy.decide>[0]) => ApprovalPolicy.decide(input).decision

describe("an added folder", () => {
  it.each([
    ["/other/lib/a.ts", "allow", "allow"],
    ["/other/lib2/a.ts", "ask", "ask"],
    ["/other/a.ts", "ask", "ask"],
    ["/other/lib/.git/config", "allow", "ask"],
    ["/other/lib/.env", "ask", "ask"]
  ] as const)(
    "has the rules of the workspace, and its secrets and protected names ask still: %s",
    (at, reads, writes) => {
      assert.strictEqual(decided(read(file(at, "read"), { approvals })), reads)
      assert.strictEqual(decided(edit(file(at, "write"), { approvals })), writes)
    }
  )

  it("is judged by where a path leads, and gives no more than the workspace has", () => {
    const away = file("/other/lib/a.ts", "write", { resolved: "/etc/a.ts" })
    assert.strictEqual(decided(edit(away, { approvals })), "ask")
    const asking = { ...approvals, edit: "ask" as const }
    assert.strictEqual(decided(edit(file("/other/lib/a.ts", "write"), { approvals: asking })), "ask")
    assert.strictEqual(
      decided(edit(file("/other/lib/a.ts", "write"), { approvals: { ...approvals, enabled: false } })),
      "ask"
    )
  })

  it("is a child's only where its parent has it, or one above it", () => {
    const narrow = (child: ReadonlyArray<string>, parent: ReadonlyArray<string>) =>
      Approvals.narrow({ ...approvals, folders: child }, { ...approvals, folders: parent }).folders
    assert.deepStrictEqual(narrow(["/a/b", "/c"], ["/a"]), ["/a/b"])
    assert.deepStrictEqual(narrow(["/a"], ["/a/b"]), ["/a/b"])
    assert.isUndefined(narrow(["/a"], ["/ab"]))
    assert.isUndefined(Approvals.narrow(approvals, Approvals.edits).folders)
  })

  it.each(["relative", "/", "C:\\", "/a/../b", ""])("is absolute, and no root: %j is refused", (folder) =>
    assert.isTrue(Effect.runSync(Effect.isFailure(Approvals.decode({ folders: [folder] }))))
  )
})
