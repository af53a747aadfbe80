import { spawnSync } from "node:child_process"
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { reached } from "./changed.ts"
import { workspacePackages } from "./checks/workspace.ts"
import { planOf, type Plan } from "./turbo.ts"

const root = path.resolve(import.meta.dirname, "..")
const packages = workspacePackages(root)
const clone = mkdtempSync(path.join(tmpdir(), "belay clone "))
afterAll(() => rmSync(clone, { recursive: true }))

/** This checkout as it is now, with what is not committed. */
beforeAll(() => {
  const files = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  for (const name of files.stdout.split("\0").filter((name) => name !== "" && existsSync(path.join(root, name)))) {
    mkdirSync(path.dirname(path.join(clone, name)), { recursive: true })
    cpSync(path.join(root, name), path.join(clone, name))
  }
  symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"), "junction")
})

const plan = (): Plan => planOf(clone, ["test"])

let before: Plan
beforeAll(() => void (before = plan()))

/** The tasks of a kind, by their packages' folders, whose hash is another one than `before`. */
const again = (task: string, now: Plan): ReadonlyArray<string> => {
  const hashes = new Map(before.tasks.map(({ hash, taskId }) => [taskId, hash]))
  return packages
    .filter(({ name }) => now.tasks.some((t) => t.taskId === `${name}#${task}` && hashes.get(t.taskId) !== t.hash))
    .map(({ id }) => id)
}

/** A package with all that depends on it, at however many removes. */
const withDependents = (id: string): ReadonlyArray<string> => {
  const found = new Set([id])
  for (const one of found) {
    for (const { id: other, manifest } of packages) {
      if (`@belay/${one}` in { ...manifest.dependencies, ...manifest.devDependencies }) found.add(other)
    }
  }
  return [...found].toSorted()
}

/** The plan with a line more in a file, which is taken away again. */
const changing = (file: string): Plan => {
  const at = path.join(clone, file)
  appendFileSync(at, "\n")
  try {
    return plan()
  } finally {
    cpSync(path.join(root, file), at)
  }
}

describe("the cache of the tests", () => {
  for (const id of ["modes", "task-state", "testkit"]) {
    it(`runs the tests of ${id} and of what depends on it when its sources change, and no other`, () => {
      assert.deepStrictEqual(again("test", changing(`packages/${id}/src/index.ts`)).toSorted(), withDependents(id))
    })
  }

  it("runs the tests of a package alone when these change, and bundles nothing", () => {
    const now = changing("packages/modes/test/Mode.test.ts")
    assert.deepStrictEqual(again("test", now), ["modes"])
    assert.deepStrictEqual(again("build", now), [])
  })

  it("runs the tests that read the sources of what their package does not depend on", () => {
    assert.sameMembers([...again("test", changing("apps/host-vscode/src/main.ts"))], ["host-cli", "host-vscode"])
  })

  it("runs all tests when what they share changes", () => {
    for (const file of ["scripts/shared/vitest.ts", "scripts/shared/readme.ts"]) {
      assert.lengthOf(again("test", changing(file)), packages.length, file)
    }
  })

  it("keeps a whole run apart from a sample", () => {
    vi.stubEnv("BELAY_PROOF", process.env["BELAY_PROOF"] === undefined ? "full" : undefined)
    try {
      assert.lengthOf(again("test", plan()), packages.length)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it("knows no edge to another package's lint", () => {
    for (const { dependencies, taskId } of before.tasks) {
      assert.isEmpty(
        dependencies.filter((id) => id.endsWith("#lint")),
        taskId
      )
    }
  })
})

describe("a change", () => {
  const reach = (...files: ReadonlyArray<string>): Record<string, ReadonlyArray<string> | "all"> => {
    const { some, whole } = reached(clone, before, files)
    return { ...Object.fromEntries(whole.map((name) => [name, "all"])), ...Object.fromEntries(some) }
  }

  it("of sources reaches all tests of the package and of what depends on it", () => {
    for (const id of ["modes", "history-interop", "task-state"]) {
      const found = reach(`packages/${id}/src/index.ts`)
      assert.deepStrictEqual(
        Object.keys(found).toSorted(),
        packages
          .filter((one) => withDependents(id).includes(one.id))
          .map(({ name }) => name)
          .toSorted()
      )
      assert.deepStrictEqual([...new Set(Object.values(found))], ["all"])
    }
  })

  it("of a test reaches this test", () => {
    assert.deepStrictEqual(reach("packages/modes/test/Mode.test.ts"), { "@belay/modes": ["test/Mode.test.ts"] })
  })

  it("of a README reaches the test of its example", () => {
    assert.deepStrictEqual(reach("packages/modes/README.md"), { "@belay/modes": ["test/readme.test.ts"] })
  })

  it("of what no test reads reaches none", () => {
    assert.deepStrictEqual(reach("apps/host-cli/README.md", "AGENTS.md", "scripts/tally.ts"), {})
  })

  it("of what is in no list of inputs reaches all", () => {
    for (const file of ["pnpm-lock.yaml", "turbo.json", "apps/host-cli/turbo.json", "scripts/shared/vitest.ts"]) {
      assert.lengthOf(Object.keys(reach(file)), packages.length, file)
    }
  })

  it("that removes a file reaches what read it", () => {
    assert.lengthOf(Object.keys(reach("packages/task-state/src/gone.ts")), withDependents("task-state").length)
    assert.deepStrictEqual(reach("packages/modes/test/gone.test.ts"), { "@belay/modes": "all" })
  })
})
