import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Checklist } from "@belay/focus-chain"
import { items, markdown, patches, state, text } from "./documents.ts"

const { parse, render } = Checklist
const runs = { arbitrary: { runs: 1000 } }
const itemsOf = (source: string) => Checklist.items(parse(source))
const others = (document: Checklist.Document) =>
  document.lines.flatMap((line) => (line._tag === "Other" ? [line.text] : []))
const unique = (list: Checklist.Checklist) => new Set(list.map((item) => item.id)).size === list.length
const lawful = (document: Checklist.Document) => {
  assert.deepStrictEqual(parse(render(document)), document)
  assert.isTrue(unique(Checklist.items(document)))
}

describe("reading and writing", () => {
  it.prop(
    "a document that was read, written and read again is the same",
    [markdown],
    ([source]) => lawful(parse(source)),
    runs
  )

  it.prop(
    "every line of the user stays: the text of items, all else to the letter",
    [markdown],
    ([source]) => {
      const before = source
        .toWellFormed()
        .split(/\r\n|\n|\r/u)
        .map((line) => line.replaceAll("\uFEFF", ""))
      const document = parse(source)
      const after = render(document).split(document.newline)
      assert.strictEqual(after.length, before.length)
      document.lines.forEach((line, index) => {
        if (line._tag === "Other") assert.strictEqual(after[index], before[index])
        else assert.isTrue(Checklist.clean(before[index] ?? "").includes(line.item.text))
      })
    },
    runs
  )

  it("reads all kinds of bullets, boxes and indentation", () => {
    const source = "- [ ] a <!-- i1 -->\n  * [x] b <!--i2-->\n\t+ [X] c\n1. [-] d\n2) [ ] e  \n"
    assert.deepStrictEqual(
      itemsOf(source).map((item) => `${item.state} ${item.text}`),
      ["open a", "done b", "done c", "doing d", "open e"]
    )
    assert.deepStrictEqual(
      itemsOf(source)
        .slice(0, 2)
        .map((item) => item.id),
      ["i1", "i2"]
    )
  })

  it("keeps headings, notes, code blocks and comments in place and takes no item from them", () => {
    const source =
      "# Title\n\n<!--\n- [ ] not me\n-->\n- [ ] a <!-- i1 -->\n> note\n```\n- [ ] nor me\n```\n- [x] b <!-- i2 -->\n"
    assert.strictEqual(render(parse(source)), source)
    assert.deepStrictEqual(
      itemsOf(source).map((item) => item.text),
      ["a", "b"]
    )
  })

  it("keeps the line ends of Windows and drops a byte order mark", () => {
    assert.strictEqual(render(parse("\uFEFF# T\r\n- [ ] a <!-- i1 -->\r\n")), "# T\r\n- [ ] a <!-- i1 -->\r\n")
  })

  it("gives an item without an id always the same id, and equal texts different ones", () => {
    const list = itemsOf("- [ ] a\n- [ ] a\n- [ ] b")
    assert.isTrue(unique(list))
    assert.deepStrictEqual(list, itemsOf("- [ ] a\n- [ ] a\n- [ ] b"))
    assert.deepStrictEqual(list[0]?.id, itemsOf("# new\n- [x] a")[0]?.id)
  })

  it("lets the first of two items keep an id that both carry", () => {
    const [first, second] = itemsOf("- [ ] a <!-- one -->\n- [ ] copy <!-- one -->")
    assert.strictEqual(first?.id, "one")
    assert.notStrictEqual(second?.id, "one")
  })

  it("reads four megabytes made to be slow, which would take for ever if each part was looked at for each other", () => {
    const hostile = [
      "<!--\n",
      "```a\n",
      "- [ ] a\n",
      "- [ ] <!-- ",
      " ",
      "- [ ] a" + " ".repeat(999) + "<!--",
      "~~~\n`````\n"
    ]
    for (const part of hostile) {
      const source = part.repeat(Math.ceil(4_000_000 / part.length))
      assert.lengthOf(parse(source).lines, source.split("\n").length)
    }
  })
})

describe("texts", () => {
  it.prop(
    "a text never leaves its line nor opens or closes a comment",
    [text, state],
    ([text, state]) => {
      const lines = render(Checklist.replaceItems(parse("# T\n"), [{ id: "one", text, state }])).split("\n")
      const cleaned = Checklist.clean(text)
      assert.strictEqual(Checklist.clean(cleaned), cleaned)
      assert.strictEqual(lines.length, cleaned === "" ? 2 : 3)
      assert.isFalse(cleaned.includes("-->") || cleaned.includes("<!--"))
    },
    runs
  )
})

describe("replaceItems", () => {
  it.prop(
    "makes exactly these items the list and leaves all other lines alone",
    [markdown, items],
    ([source, list]) => {
      const document = parse(source)
      const replaced = Checklist.replaceItems(document, list)
      lawful(replaced)
      const wanted = list.map((item) => Checklist.clean(item.text)).filter((text) => text !== "")
      assert.deepStrictEqual(
        Checklist.items(replaced).map((item) => item.text),
        wanted
      )
      if (wanted.length > 0 && document.lines.length > 1) assert.deepStrictEqual(others(replaced), others(document))
      assert.deepStrictEqual(Checklist.replaceItems(replaced, Checklist.items(replaced)), replaced)
    },
    runs
  )

  it.prop(
    "with the items it has, the document is the same",
    [markdown],
    ([source]) => {
      const document = parse(source)
      assert.deepStrictEqual(Checklist.replaceItems(document, Checklist.items(document)), document)
    },
    runs
  )

  it("keeps items under their headings when one of them moves", () => {
    const source = "## One\n- [ ] a <!-- a -->\n- [ ] b <!-- b -->\n## Two\n- [ ] c <!-- c -->\n- [ ] d <!-- d -->\n"
    const list = itemsOf(source)
    assert.strictEqual(
      render(Checklist.replaceItems(parse(source), [...list.slice(3), ...list.slice(0, 3)])),
      "## One\n- [ ] d <!-- d -->\n- [ ] a <!-- a -->\n- [ ] b <!-- b -->\n## Two\n- [ ] c <!-- c -->\n"
    )
  })
})

describe("patch", () => {
  const document = parse("# T\n- [ ] a <!-- one -->\nnote\n  * [ ] b <!-- two -->\n")

  it.prop(
    "changes all or nothing, and the result is lawful",
    [markdown, patches],
    ([source, list]) => {
      const before = parse(source)
      const result = Checklist.patch(before, list)
      if (Result.isSuccess(result)) lawful(result.success)
      else assert.isBelow(result.failure.position, list.length)
    },
    runs
  )

  it.prop(
    "done twice is done once, where nothing is added or removed",
    [markdown, patches],
    ([source, list]) => {
      const known = Checklist.items(parse(source)).map((item) => item.id)
      const changes = list.slice(0, 1).map((one, index) => ({ ...one, remove: false, id: known[index] ?? "none" }))
      const once = Checklist.patch(parse(source), changes)
      if (Result.isSuccess(once)) assert.deepStrictEqual(Checklist.patch(once.success, changes), once)
    },
    runs
  )

  it("changes, moves, adds and removes by id", () => {
    const result = Checklist.patch(document, [
      { id: "one", state: "done", text: "A" },
      { text: "new", after: "two" },
      { text: "top", after: "" },
      { id: "two", remove: true }
    ])
    const list = Checklist.items(Result.getOrThrow(result))
    assert.deepStrictEqual(
      list.map((item) => `${item.state} ${item.text}`),
      ["open top", "done A", "open new"]
    )
    assert.include(render(Result.getOrThrow(result)), "\nnote\n  * [ ] new ")
  })

  it("names the unknown id and changes nothing", () => {
    const unknown = [{ id: "nope" }, { text: "x", after: "nope" }, { id: "one", after: "nope" }]
    for (const patch of unknown) {
      const result = Checklist.patch(document, [{ id: "one", state: "done" }, patch])
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) {
        assert.deepStrictEqual(
          result.failure,
          new Checklist.PatchError({ reason: "unknownItem", id: "nope", position: 1 })
        )
        assert.include(result.failure.message, "unknown id 'nope'")
      }
    }
    const removed = Checklist.patch(document, [
      { id: "one", remove: true },
      { id: "one", state: "open" }
    ])
    assert.isTrue(Result.isFailure(removed))
  })

  it("refuses an item without a text", () => {
    for (const patch of [{}, { text: " \n" }, { id: "one", text: "" }]) {
      const result = Checklist.patch(document, [patch])
      assert.strictEqual(Result.isFailure(result) ? result.failure.reason : "none", "emptyText")
    }
  })
})

describe("task_progress", () => {
  const previous = itemsOf("- [ ] a <!-- a1 -->\n- [ ] b <!-- b1 -->\n- [ ] c <!-- c1 -->")
  const ids = (source: string) => Checklist.fromTaskProgress(source, previous).map((item) => item.id)

  it("keeps the ids of equal texts wherever they stand", () => {
    assert.deepStrictEqual(ids("- [x] c\n- [-] a\n- [ ] b"), ["c1", "a1", "b1"])
  })

  it("keeps the id of an item that was reworded in place", () => {
    assert.deepStrictEqual(ids("- [x] a\n- [ ] better b\n- [ ] c"), ["a1", "b1", "c1"])
  })

  it("does not take a new item for one that was removed elsewhere", () => {
    const [first, second, third] = ids("- [x] a\n- [ ] c\n- [ ] d")
    assert.deepStrictEqual([first, second], ["a1", "c1"])
    assert.notInclude(["a1", "b1", "c1"], third)
  })

  it("follows an id that the model sends along, before the text", () => {
    assert.deepStrictEqual(ids("- [ ] b <!-- a1 -->\n- [ ] b"), ["a1", "b1"])
  })

  it("reads the list out of a code block and ignores other lines", () => {
    assert.deepStrictEqual(ids("```markdown\n# Plan\n- [ ] a\n```"), ["a1"])
  })

  it.prop(
    "never gives an id twice, and reading the own list back changes nothing",
    [markdown, markdown],
    ([source, old]) => {
      const before = itemsOf(old)
      const list = Checklist.fromTaskProgress(source, before)
      assert.isTrue(unique(list))
      assert.deepStrictEqual(
        Checklist.fromTaskProgress(list.map((item) => `- [ ] ${item.text}`).join("\n"), list).map((item) => item.id),
        list.map((item) => item.id)
      )
    },
    runs
  )
})

describe("progress", () => {
  it.prop("is 100 percent only when every item is done", [items], ([list]) => {
    const { done, percent, total } = Checklist.progress(list)
    assert.strictEqual(percent === 100, total > 0 && done === total)
  })

  it("is nothing for an empty list, and rounded down", () => {
    assert.deepStrictEqual(Checklist.progress([]), { done: 0, total: 0, percent: 0 })
    assert.strictEqual(Checklist.progress(itemsOf("- [x] a\n- [x] b\n- [ ] c")).percent, 66)
  })
})

describe("the lists of subtasks", () => {
  const places = (source: string, ...titles: ReadonlyArray<string>) =>
    Checklist.place(itemsOf(source), titles, (title) => title).map(({ item, subtask }) => [item?.text, subtask])

  it("hang under the item that their title begins with, each once, and come last where none does", () => {
    assert.deepStrictEqual(
      places("- [ ] Read\n- [ ] parse It\n- [ ] Read", "Write", "Parse it: all", "read", "read on"),
      [
        ["Read", "read"],
        ["parse It", "Parse it: all"],
        ["Read", "read on"],
        [undefined, "Write"]
      ]
    )
  })

  it.prop("lose no item and no subtask, and change no order of items", [items, text], ([list, title]) => {
    const placed = Checklist.place(list, [title], (one) => one)
    assert.deepStrictEqual(
      placed.flatMap(({ item }) => item ?? []),
      list
    )
    assert.deepStrictEqual(
      placed.flatMap(({ subtask }) => subtask ?? []),
      [title]
    )
  })
})
