import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as PlainView from "./vscode/PlainView.ts"
import * as States from "./vscode/States.ts"

/** The lines of a change, and how many follow them. */
const change = (path: string, left = 0) => ({
  path,
  added: 1 + left,
  removed: 1,
  lines: [
    { op: "-", text: "const old = 1" },
    { op: "+", text: "const made = 2" }
  ] as const,
  left
})

describe("the rows of a conversation", () => {
  let plain: PlainView.PlainView
  const show = (...rows: States.Snapshot["rows"]) =>
    plain.tell({
      type: "snapshot",
      task: "t",
      n: 1,
      header: States.header("running"),
      welcome: null,
      asks: [],
      queued: [],
      pictures: [],
      rows,
      live: "",
      draft: ""
    })

  beforeAll(async () => {
    plain = await PlainView.open(400, 700)
  })
  afterAll(() => plain.close())

  it("show what an edit changes; a name opens its file, however it is called, and what is left out as a text", async () => {
    await show(
      States.call("c7", "replace_in_file", "src/50% #1:2.ts", { changes: [change("src/50% #1:2.ts", 30)] }),
      States.call("c9", "apply_patch", "", { changes: [change("one.ts"), change("two.ts")] })
    )
    const diff = plain.page.getByRole("region", { name: "Change of src/50% #1:2.ts" })
    assert.deepEqual((await diff.textContent())?.trim().split("\n"), [
      "-Removed: const old = 1",
      "+Added: const made = 2"
    ])
    assert.include(await plain.view.row("src/50%").innerText(), "+31 −1")
    await plain.view.button("src/50% #1:2.ts").last().click()
    assert.equal(decodeURIComponent((await plain.next("link", 0)).target), "src/50% #1:2.ts")
    assert.equal((await plain.next("link", 0)).target, "src/50%25%20%231%3A2.ts")
    await plain.view.button("30 more lines").click()
    assert.equal((await plain.next("edit", 0)).seq, 7)
    await plain.view.button("two.ts").click()
    assert.equal((await plain.next("link", 1)).target, "two.ts")
  })

  it("say for how long a service is waited for, and ask it at once where the person wants it, until something happens", async () => {
    const until = await plain.page.evaluate<number>("Date.now() + 3_600_000")
    await show()
    await plain.tell({ type: "change", task: "t", n: 2, progress: "The service is overloaded.", until })
    const outage = plain.page.getByTestId("outage")
    assert.match(await outage.innerText(), /^The service is overloaded\. Next try in (?:59m 5\ds|1h 00m)\./u)
    await outage.getByRole("button", { name: "Try now" }).click()
    assert.equal((await plain.next("deed", 0)).deed, "tryNow")
    await plain.tell({ type: "change", task: "t", n: 3, answer: "waiting" })
    await outage.waitFor({ state: "detached" })
  })

  it("show nothing of an edit that failed but why, and of a file that leads elsewhere where", async () => {
    const output = "Block 1: the SEARCH part was not found.\nThe closest lines are:"
    const elsewhere = "M a.ts -> /etc/a.ts  +1 −1"
    await show(
      States.call("c1", "replace_in_file", "a.ts", { state: "failed", output, changes: [change("a.ts")] }),
      States.call("c2", "replace_in_file", "b.ts", { edits: [elsewhere], changes: [change("b.ts")] }),
      States.call("c3", "replace_in_file", "logo.bin", {
        edits: ["M logo.bin  a binary file"],
        changes: [change("logo.bin")]
      })
    )
    await plain.view.row("a binary file").waitFor()
    assert.include(await plain.view.row("SEARCH part").innerText(), "the SEARCH part was not found")
    assert.equal(await plain.page.getByRole("region", { name: "Change of a.ts" }).count(), 0)
    await plain.view.row(elsewhere).waitFor()
  })
})
