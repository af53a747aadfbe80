/** Random trees of links, and random paths through them: what is judged is where the kernel leads, and nothing outside changes. */
import { PathResolver } from "@belay/approval-policy/facts"
import { Folder } from "@belay/machine"
import { ApprovalPolicy, Approvals, ProtectedPath } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Workspace from "./fixtures/Workspace.ts"

/** Numbers that look random and are the same for the same seed. https://en.wikipedia.org/wiki/Linear_congruential_generator */
const random = (seed: number) => {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return { below, of: <A>(items: readonly [A, ...ReadonlyArray<A>]): A => items[below(items.length)] ?? items[0] }
}

const names = ["a", "b", "ab", "é", "e\u0301", "A", "-rf", ";id", "a\nb", "\u202ex", "~", ".x"] as const
const prefixes = ["", "./", "a/", "b/../", "/", "//", "../", "a//b/", "./é/", "e\u0301/"] as const

const attempt = (act: () => void) => {
  try {
    act()
  } catch {
    // The tree already has something else there.
  }
}

/** Folders, files, hard links and links of every kind, some of which lead out. */
const plant = ({ outside, root }: Workspace.TestWorkspace, { below, of }: ReturnType<typeof random>, count: number) => {
  const targets = [outside, `${outside}/secret`, "..", "../project-outside", "a", "b/a", ".", "nowhere", root] as const
  for (let index = 0; index < count; index++) {
    const at = path.join(root, of(prefixes.slice(0, 4) as ["", ...Array<string>]), of(names))
    if (!Folder.contains(root, at) || at === root) continue
    const kind = below(6)
    attempt(() => {
      // Not with what is missing above it: Node makes folders below a link that leads nowhere for ever.
      if (kind === 0) fs.mkdirSync(at)
      else if (kind === 1) fs.writeFileSync(at, "inside", { flag: "wx" })
      else if (kind === 2) fs.linkSync(`${outside}/secret`, at)
      else fs.symlinkSync(of(targets), at)
    })
  }
}

const given = ({ root }: Workspace.TestWorkspace, { below, of }: ReturnType<typeof random>): string => {
  const parts = Array.from({ length: 1 + below(4) }, () => (below(4) === 0 ? ".." : of(names)))
  const text = `${of(prefixes)}${parts.join(of(["/", "//", "/./"]))}`
  return below(4) === 0 ? `${root}/${text}` : text
}

const realpath = (file: string): string | undefined => {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return undefined
  }
}

/** All that lies outside, with its content. Links are not followed, as a recursive read would: some lead in circles. */
const seen = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name)
    const stats = fs.lstatSync(file)
    if (stats.isSymbolicLink()) return [`${file} -> ${fs.readlinkSync(file)}`]
    return stats.isDirectory() ? [file, ...seen(file)] : [`${file} ${fs.readFileSync(file, "utf8")}`]
  })

const worlds = 60
const tries = 25

describe("random paths in random trees", () => {
  it.live("lead where the kernel leads, and are inside only when they are", () =>
    Effect.gen(function* () {
      let agreed = 0
      for (let seed = 0; seed < worlds; seed++) {
        const dice = random(seed)
        const workspace = yield* Workspace.inMemory
        fs.writeFileSync(`${workspace.outside}/secret`, "secret")
        plant(workspace, dice, 30)
        for (let index = 0; index < tries; index++) {
          const text = given(workspace, dice)
          const fact = PathResolver.resolve(text, { workspace: workspace.root, home: "/nowhere", access: "read" })
          const absolute = text.startsWith("~") ? undefined : text.startsWith("/") ? text : `${workspace.root}/${text}`
          const real = absolute === undefined ? undefined : realpath(absolute)
          if (real === undefined) continue
          agreed++
          assert.strictEqual(fact.resolved, real, JSON.stringify(text))
          assert.isTrue(!fact.inside || Folder.contains(workspace.root, real), JSON.stringify(text))
        }
      }
      assert.isAbove(agreed, 100)
    }).pipe(Effect.scoped)
  )

  it.live("never let a write out that is allowed inside, also when the tree changes between check and open", () =>
    Effect.gen(function* () {
      let written = 0
      for (let seed = 0; seed < worlds; seed++) {
        const dice = random(1000 + seed)
        const workspace = yield* Workspace.inMemory
        fs.writeFileSync(`${workspace.outside}/secret`, "secret")
        plant(workspace, dice, 25)
        const before = seen(workspace.outside)
        const { category, execute, facts, name } = Workspace.tool("write_to_file")
        for (let index = 0; index < tries; index++) {
          const args = { path: given(workspace, dice), content: "changed" }
          const { paths } = yield* facts(args, workspace.context)
          const { decision } = ApprovalPolicy.decide({
            tool: name,
            category,
            args,
            mode: "act",
            readOnly: false,
            approvals: Approvals.edits,
            facts: { paths },
            workspace: workspace.root,
            known: true
          })
          if (decision !== "allow") continue
          if (dice.below(2) === 0) {
            const victim = path.join(workspace.root, dice.of(names))
            attempt(() => fs.rmSync(victim, { recursive: true, force: true }))
            attempt(() => fs.symlinkSync(dice.of([workspace.outside, `${workspace.outside}/secret`]), victim))
          }
          if (!(yield* execute(args, workspace.context)).isError) written++
          assert.deepStrictEqual(seen(workspace.outside), before, JSON.stringify(args.path))
        }
      }
      assert.isAbove(written, 10)
    }).pipe(Effect.scoped)
  )
})

describe("a protected name", () => {
  it("is one in every spelling that some file system takes for it", () => {
    const dice = random(7)
    const spelled = [".git/config", "package.json", ".vscode/settings.json", "AGENTS.md", ".mcp.json", "sub/Makefile"]
    const change = [
      (text: string) => text.toUpperCase(),
      (text: string) => Array.from(text, (char) => (dice.below(2) === 0 ? char.toUpperCase() : char)).join(""),
      (text: string) => text.replaceAll("/", "\\"),
      (text: string) => `${text}.`,
      (text: string) => `${text} `,
      (text: string) => `${text}::$DATA`,
      (text: string) => text.normalize("NFD"),
      (text: string) => text.replace(/(?<=\w)(?=\w)/, "\u200b"),
      (text: string) => text.replaceAll("/", "//./"),
      (text: string) => `C:\\work\\${text}`,
      (text: string) => `\\\\server\\share\\${text}`
    ] as const
    for (let index = 0; index < 2000; index++) {
      const text = dice.of(change)(dice.of(change)(spelled[dice.below(spelled.length)] ?? ""))
      assert.strictEqual(ProtectedPath.match(text, "write")?.rule, "path.protected", JSON.stringify(text))
    }
  })
})
