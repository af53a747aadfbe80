import { readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { steps as ways } from "../src/activation/WalkthroughSteps.ts"

const { contributes } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../extension/package.json"), "utf8"))

interface Item {
  readonly command?: string
  readonly when?: string
}

/** Where a person points at something of theirs. */
const places = ["explorer/context", "editor/context", "scm/resourceState/context", "terminal/context"]

describe("the manifest", () => {
  it("has menus only for files, and only in folders that are trusted where they would act", () => {
    for (const place of places) {
      const items: ReadonlyArray<Item> = contributes.menus[place]
      assert.isNotEmpty(items, place)
      for (const { when } of items) assert.include(when, "isWorkspaceTrusted")
      if (place.startsWith("explorer") || place.startsWith("editor")) {
        for (const { when } of items) assert.include(when, "resourceScheme == file")
      }
    }
  })

  it("lets no folder say which bash runs, where the history is or what runs without asking", () => {
    const { properties } = contributes.configuration
    for (const name of ["shell.bash", "history.home", "sandbox", "approvals.commands", "network.allowedDomains"]) {
      assert.equal(properties[`belay.${name}`]?.scope, "machine", name)
    }
  })

  it("has a walkthrough whose steps each end with something that can be done", () => {
    const [{ id, steps, when }] = contributes.walkthroughs
    assert.equal(id, "belay.start")
    assert.equal(when, "!belay.walkthroughDone")
    for (const { completionEvents, id } of steps) {
      assert.isNotEmpty(ways[id], id)
      assert.deepEqual(completionEvents, [`onContext:belay.walkthrough.${id}`])
    }
    const known = new Set(contributes.commands.map(({ command }: Item) => command))
    for (const way of Object.values(ways).flat()) assert.isTrue(known.has(`belay.${way}`), way)
  })

  it("begins an empty list with what can be done, and promises of its walkthrough what is true", () => {
    const welcomes: ReadonlyArray<{ readonly view: string; readonly contents: string }> = contributes.viewsWelcome
    const [empty] = welcomes.filter(({ view }) => view === "belay.tasks")
    assert.match(empty?.contents ?? "", /^No tasks yet\.\n\[New task\]/u)
    for (const { contents } of welcomes) assert.notInclude(contents, "per machine")
    const [{ description, steps }] = contributes.walkthroughs
    assert.deepEqual([description, steps[0].id], ["Five steps; the first needs no key.", "demo"])
  })
})
