import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Checklist } from "@belay/focus-chain"
import { items, markdown, patches } from "./documents.ts"

const runs = { arbitrary: { runs: 1000 } }
const itemsOf = (source: string) => Checklist.items(Checklist.parse(source))
const linesOf = (source: string) => source.split(/(?<=\r\n|\n|\r(?!\n))/u)

/** The lines of one text that the other has not at the same place. */
const differing = (left: string, right: string): number => {
  const others = linesOf(right)
  return linesOf(left).filter((line, index) => line !== others[index]).length
}

/** A file without ids, with a note, mixed line ends and two equal items. */
const own = "# Mine\n- [ ] a\r\n  note <!-- x\n* [x]   a\n1. [-] b <!-- bee -->\n\n- [ ] c"

describe("an edit of the file's text", () => {
  it.prop(
    "does to the items what the patches say, and keeps their ids",
    [markdown, patches],
    ([source, list]) => {
      const patched = Checklist.patch(Checklist.parse(source), list)
      const edited = Checklist.edit(source, list)
      assert.strictEqual(Result.isSuccess(edited), Result.isSuccess(patched))
      if (Result.isFailure(edited) || Result.isFailure(patched)) return
      assert.deepStrictEqual(itemsOf(edited.success), Checklist.items(patched.success))
    },
    runs
  )

  it.prop(
    "without patches is the same text, to the byte",
    [markdown],
    ([source]) => assert.strictEqual(Result.getOrThrow(Checklist.edit(source, [])), source),
    runs
  )

  it.prop(
    "changes exactly one line when one item is toggled",
    [markdown],
    ([source]) => {
      for (const { id, state } of itemsOf(source)) {
        const edited = Result.getOrThrow(Checklist.edit(source, [{ id, state: state === "done" ? "open" : "done" }]))
        assert.strictEqual(differing(source, edited), 1)
        assert.strictEqual(linesOf(edited).length, linesOf(source).length)
      }
    },
    runs
  )

  it("keeps the ids of equal items that have none in the file, whichever is removed or moved", () => {
    const source = "- [ ] a\n- [ ] a\n- [ ] a\n"
    for (const { id } of itemsOf(source)) {
      for (const list of [[{ id, remove: true }], [{ id, after: "" }]]) {
        const patched = Result.getOrThrow(Checklist.patch(Checklist.parse(source), list))
        assert.deepStrictEqual(itemsOf(Result.getOrThrow(Checklist.edit(source, list))), Checklist.items(patched))
      }
    }
  })

  it("keeps headings, notes, bullets and line ends, and the id of the item", () => {
    const [first] = itemsOf(own)
    const edited = Result.getOrThrow(Checklist.edit(own, [{ id: first?.id ?? "", state: "done" }]))
    assert.strictEqual(edited, own.replace("- [ ] a", `- [x] a <!-- ${first?.id} -->`))
  })

  it("takes a byte order mark between two halves of a line end for no line end", () => {
    const text = "\r\uFEFF\n- [ ] a <!-- one -->\n"
    assert.strictEqual(Result.getOrThrow(Checklist.edit(text, [])), text)
  })

  it("moves, adds and removes a line and leaves the others", () => {
    const [, second, , last] = itemsOf(own)
    const edited = Checklist.edit(own, [
      { id: last?.id ?? "", after: "bee" },
      { text: "new", after: "" },
      { id: "bee", remove: true }
    ])
    const text = Result.getOrThrow(edited)
    assert.match(text, /^# Mine\n- \[ \] new <!-- \w+ -->\n- \[ \] a/u)
    assert.isTrue(text.includes("\r\n  note <!-- x\n* [x]   a\n"))
    assert.isFalse(text.includes("bee"))
    assert.deepStrictEqual(
      itemsOf(text).map(({ text }) => text),
      ["new", "a", "a", "c"]
    )
    assert.strictEqual(itemsOf(text)[2]?.id, second?.id)
  })

  it("says which item is not there any more", () => {
    const edited = Checklist.edit(own, [{ id: "gone", state: "done" }])
    assert.isTrue(Result.isFailure(edited))
  })
})

describe("a merge", () => {
  const base = itemsOf("- [ ] a <!-- a -->\n- [ ] b <!-- b -->\n- [ ] c <!-- c -->")
  const list = (source: string) => itemsOf(source)
  const merged = (model: string, user: string) => Checklist.merge(base, list(model), list(user))
  const shown = ({ items }: Checklist.Merged) => items.map(({ id, state, text }) => `${id} ${state} ${text}`)

  const clean = (raw: ReadonlyArray<Checklist.Item>) =>
    Checklist.items(Checklist.replaceItems(Checklist.parse("# T\n"), raw))

  it.prop(
    "with one side that changed nothing is what the other made of it",
    [items, items],
    ([first, second]) => {
      const [left, right] = [clean(first), clean(second)]
      assert.deepStrictEqual(Checklist.merge(left, right, left), { items: right, conflicts: [] })
      assert.deepStrictEqual(Checklist.merge(left, left, right), { items: right, conflicts: [] })
    },
    runs
  )

  it.prop(
    "has each id once, and every item that only one side added",
    [items, items, items],
    ([first, second, third]) => {
      const [before, model, user] = [clean(first), clean(second), clean(third)]
      const ids = Checklist.merge(before, model, user).items.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      const known = new Set(before.map(({ id }) => id))
      for (const { id } of [...model, ...user]) if (!known.has(id)) assert.include(ids, id)
    },
    runs
  )

  it.prop(
    "loses no edit of either side; where both edited the same, the user's is there and the conflict is named",
    [items, items, items],
    ([first, second, third]) => {
      const [before, model, user] = [clean(first), clean(second), clean(third)]
      const { conflicts, items: both } = Checklist.merge(before, model, user)
      const of = (items: ReadonlyArray<Checklist.Item>, id: string) => items.find((item) => item.id === id)
      for (const id of new Set([...before, ...model, ...user].map((item) => item.id))) {
        const [b, m, u, result] = [before, model, user, both].map((items) => of(items, id))
        for (const field of ["text", "state"] as const) {
          const [edits, own] = [m?.[field] !== b?.[field], u?.[field] !== b?.[field]]
          const kept = result?.[field] === m?.[field]
          if (own && u !== undefined) assert.strictEqual(result?.[field], u[field], "the user's edit")
          else if (own) assert.isUndefined(result, "the user's removal")
          else if (edits && !kept) assert.include(conflicts, id, "the model's edit")
        }
      }
    },
    runs
  )

  it("names what both added under one id with another state", () => {
    const both = Checklist.merge([], list("- [x] a <!-- a -->"), list("- [ ] a <!-- a -->"))
    assert.deepStrictEqual([both.items, both.conflicts], [list("- [ ] a <!-- a -->"), ["a"]])
  })

  it("keeps both sides' edits of different items and of different fields of one", () => {
    const both = merged(
      "- [x] a <!-- a -->\n- [-] b <!-- b -->\n- [ ] c <!-- c -->\n- [ ] d <!-- d -->",
      "- [ ] a <!-- a -->\n- [ ] better b <!-- b -->\n- [ ] mine <!-- m -->\n- [x] c <!-- c -->"
    )
    assert.deepStrictEqual(both.conflicts, [])
    assert.deepStrictEqual(shown(both), ["a done a", "b doing better b", "m open mine", "c done c", "d open d"])
  })

  it("keeps the user's where both changed the same, and names it", () => {
    const both = merged(
      "- [x] a <!-- a -->\n- [-] b <!-- b -->\n- [ ] c <!-- c -->",
      "- [-] a <!-- a -->\n- [ ] c <!-- c -->"
    )
    assert.deepStrictEqual(both.conflicts, ["a", "b"])
    assert.deepStrictEqual(shown(both), ["a doing a", "c open c"])
  })

  it("keeps the user's order", () => {
    const both = merged(
      "- [x] a <!-- a -->\n- [ ] b <!-- b -->\n- [ ] c <!-- c -->",
      "- [ ] c <!-- c -->\n- [ ] a <!-- a -->\n- [ ] b <!-- b -->"
    )
    assert.deepStrictEqual(shown(both), ["c open c", "a done a", "b open b"])
  })

  it("keeps headings and notes through twenty updates of the model", () => {
    let text = "# Mine\n\n> note\n- [ ] a <!-- a -->\n## Later\n- [ ] b <!-- b -->\n"
    let known = itemsOf(text)
    for (let n = 0; n < 20; n++) {
      const model = [...known, { id: `n${n}`, text: `step ${n}`, state: "open" as const }]
      const next = Checklist.merge(known, model, itemsOf(text)).items
      text = Checklist.render(Checklist.replaceItems(Checklist.parse(text), next))
      known = next
    }
    assert.strictEqual(itemsOf(text).length, 22)
    assert.isTrue(text.startsWith("# Mine\n\n> note\n- [ ] a <!-- a -->\n## Later\n- [ ] b <!-- b -->\n"))
  })
})
