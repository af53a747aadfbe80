/** Logins in the addresses of git's own files are in nothing that a tool shows, and no edit writes what stands for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

const token = "ghp_0123456789abcdef"
const config = `[core]
\tbare = false
[remote "origin"]
\turl = https://me:${token}@github.com/a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
`

const repository = Effect.map(Workspace.make, (world) => {
  for (const file of [".git/config", ".gitmodules", "mirror.git/config", ".git/modules/m/config", ".config/git/config"])
    world.write(file, config)
  world.write(".git/FETCH_HEAD", `0\t\tbranch 'main' of https://${token}@github.com/a/b\n`)
  fs.symlinkSync(".git/config", world.at("link"))
  return world
})

const url = `\turl = https://me:<redacted>@github.com/a/b.git`

const block = (old: string, put: string): string => `------- SEARCH\n${old}\n=======\n${put}\n+++++++ REPLACE`

describe("a login in git's own files", () => {
  it.effect("is shown by no tool that reads", () =>
    Effect.gen(function* () {
      const world = yield* repository
      const files = [
        ".git/config",
        ".gitmodules",
        "mirror.git/config",
        ".git/modules/m/config",
        ".config/git/config",
        ".git/FETCH_HEAD",
        "link"
      ]
      for (const file of files) {
        const { isError, text } = yield* Workspace.call("read_file", { path: file }, world)
        assert.isFalse(isError, text)
        assert.notInclude(text, token, file)
        assert.include(text, "<redacted>@github.com", file)
      }
      for (const folder of [".", ".git"]) {
        const { text } = yield* Workspace.call("search_files", { path: folder, regex: "github" }, world)
        assert.notInclude(text, token, folder)
      }
    })
  )

  it.effect("is not lost to an edit that writes what stands for it", () =>
    Effect.gen(function* () {
      const world = yield* repository
      yield* Workspace.call("read_file", { path: ".git/config" }, world)
      const written = config.replace(token, "<redacted>")
      const edits = [
        ["write_to_file", { path: ".git/config", content: written }],
        ["write_to_file", { path: "link", content: written }],
        ["replace_in_file", { path: ".git/config", diff: block(url, url.replace("a/b", "a/c")) }],
        ["replace_in_file", { path: ".git/config", diff: block("\tbare = false", url) }],
        [
          "apply_patch",
          { patch: `*** Begin Patch\n*** Update File: .git/config\n@@\n-${url}\n+${url}x\n*** End Patch` }
        ]
      ] as const
      for (const [tool, args] of edits) {
        const { isError, text } = yield* Workspace.call(tool, args, world)
        assert.isTrue(isError, tool)
        assert.include(text, "stands for a login", tool)
        assert.strictEqual(world.read(".git/config"), config, tool)
      }
    })
  )

  it.effect("is in nothing that an edit of other lines says, and stays", () =>
    Effect.gen(function* () {
      const world = yield* repository
      const edits = [
        { path: ".git/config", diff: block("\tbare = false", "\tbare = true") },
        { path: ".git/config", diff: block("\turl = https://me:xxx@github.com/a/b.git", "x") }
      ]
      for (const args of edits) {
        const { text } = yield* Workspace.call("replace_in_file", args, world)
        assert.notInclude(text, token)
      }
      assert.strictEqual(world.read(".git/config"), config.replace("bare = false", "bare = true"))
    })
  )
})
