/** What settings of a repository count as programs. */
import { GitSettings } from "@belay/git-runner"
import { assert, describe, it } from "vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "../src/internal/configText.ts"
import { folder, type Project, repository, temporary, write } from "./folders.ts"

const found = (project: Project, purpose?: Parameters<typeof GitSettings.programs>[1]) =>
  GitSettings.programs(project.folder, purpose)

const set = (...settings: ReadonlyArray<readonly [name: string, value: string]>): Project => {
  const project = repository()
  for (const [name, value] of settings) project.git("config", name, value)
  return project
}

describe("settings that count", () => {
  it.each([
    ["diff.external", "x"],
    ["diff.a.b.command", "x"],
    ["diff.x.textconv", "x"],
    ["filter.x.clean", "x"],
    ["filter.a.b.smudge", "x"],
    ["filter.x.process", "x"],
    ["gpg.program", "x"],
    ["gpg.ssh.program", "x"],
    ["gpg.ssh.defaultKeyCommand", "x"],
    ["include.path", "x"],
    ["includeIf.onbranch:main.path", "x"],
    ["core.alternateRefsCommand", "x"],
    ["format.pretty", "%h %G?"],
    ["pretty.mine", "%h %+GS"],
    ["branch.sort", "-signature:key"],
    ["tag.sort", "signature"],
    ["core.worktree", "/"]
  ])("for every call: %s", (name, value) => {
    assert.deepStrictEqual(found(set([name, value])), [name.toLowerCase()])
  })

  it.each([
    ["core.sshCommand", "x"],
    ["core.editor", "x"],
    ["sequence.editor", "x"],
    ["core.askPass", "x"],
    ["core.gitProxy", "x"],
    ["credential.helper", "x"],
    ["credential.https://a.b.helper", "x"],
    ["merge.x.driver", "x"],
    ["mergetool.x.cmd", "x"],
    ["trailer.x.command", "x"],
    ["trailer.x.cmd", "x"],
    ["uploadpack.packObjectsHook", "x"],
    ["remote.origin.uploadpack", "x"],
    ["remote.origin.receivepack", "x"],
    ["remote.origin.proxy", "x"],
    ["remote.origin.vcs", "x"],
    ["remote.origin.url", "ext::sh -c x"],
    ["browser.x.cmd", "x"],
    ["man.x.cmd", "x"],
    ["alias.x", "!x"],
    ["alias.x", "  !x"],
    ["interactive.diffFilter", "x"],
    ["pager.log", "x"],
    ["submodule.x.update", "!x"],
    ["url.ext::sh -c x.insteadOf", "https://a"],
    ["protocol.ext.allow", "always"]
  ])("where git may change something: %s", (name, value) => {
    const project = set([name, value])
    assert.deepStrictEqual(found(project), [])
    assert.lengthOf(found(project, "change"), 1)
  })

  it.each([
    ["commit.gpgSign", "true"],
    ["commit.gpgSign", "1"],
    ["tag.gpgSign", "yes"],
    ["tag.forceSignAnnotated", "true"],
    ["push.gpgSign", "if-asked"],
    ["log.showSignature", "on"],
    ["merge.verifySignatures", "true"],
    ["alias.c", "commit -S"],
    ["alias.c", "commit -vS"],
    ["alias.l", "log --show-signature"],
    ["alias.l", "log --format=%G?"],
    ["alias.t", "tag -s"],
    ["alias.v", "verify-commit HEAD"]
  ])("where git may sign, and our settings do not hold: %s", (name, value) => {
    const project = set([name, value])
    assert.deepStrictEqual([found(project), found(project, "change")], [[], []])
    assert.deepStrictEqual(found(project, "command"), [name.toLowerCase()])
  })

  it("are not what an ordinary repository has", () => {
    const project = set(
      ["user.name", "U"],
      ["core.hooksPath", ".husky/_"],
      ["core.fsmonitor", "true"],
      ["core.untrackedCache", "true"],
      ["alias.st", "status"],
      ["pager.branch", "false"],
      ["credential.helper", ""],
      ["remote.origin.url", "git@github.com:a/b.git"],
      ["url.ssh://git@github.com/.insteadOf", "https://github.com/"],
      ["submodule.x.update", "rebase"],
      ["branch.main.remote", "origin"],
      ["merge.conflictStyle", "diff3"],
      ["core.worktree", ".."],
      ["commit.gpgSign", "false"],
      ["tag.gpgSign", "0"],
      ["log.showSignature", "no"],
      ["format.pretty", "%h %s"],
      ["branch.sort", "-committerdate"],
      ["alias.ci", "commit -v"],
      ["alias.lg", "log --graph --oneline"]
    )
    assert.deepStrictEqual(found(project, "change"), [])
    assert.deepStrictEqual(found(project, "command"), [])
    assert.deepStrictEqual(found(folder(), "change"), [])
  })
})

describe("files that count", () => {
  const hostile = "[diff]\n\texternal = ./spy.sh\n"

  it("are those that git reads for the folder, wherever they lie", () => {
    const below = repository()
    write(below.folder, { "a/b/c.txt": "" })
    fs.appendFileSync(path.join(below.folder, ".git/config"), hostile)
    assert.deepStrictEqual(GitSettings.programs(path.join(below.folder, "a/b")), ["diff.external"])

    const worktree = repository()
    const tree = path.join(worktree.home, "tree")
    worktree.git("worktree", "add", "--quiet", tree)
    assert.deepStrictEqual(GitSettings.programs(tree), [])
    fs.writeFileSync(path.join(worktree.folder, ".git/worktrees/tree/config.worktree"), hostile)
    assert.deepStrictEqual(GitSettings.programs(tree), ["diff.external"])
    assert.deepStrictEqual(found(worktree), [])
    fs.rmSync(path.join(worktree.folder, ".git/worktrees/tree/config.worktree"))
    fs.appendFileSync(path.join(worktree.folder, ".git/config"), hostile)
    assert.deepStrictEqual(GitSettings.programs(tree), ["diff.external"])

    const linked = repository()
    fs.renameSync(path.join(linked.folder, ".git"), path.join(linked.home, "other.git"))
    fs.symlinkSync("../other.git", path.join(linked.folder, ".git"))
    fs.appendFileSync(path.join(linked.home, "other.git/config"), hostile)
    assert.deepStrictEqual(found(linked), ["diff.external"])
  })

  it("are those of submodules, and of repositories in repositories that the index names, in every format", () => {
    for (const version of ["2", "3", "4"]) {
      const project = repository()
      const outer = path.join(project.folder, "folder with a link/outer")
      const inner = path.join(outer, "deep/inner")
      for (const at of [inner, outer]) {
        fs.mkdirSync(at, { recursive: true })
        write(at, { "b.txt": "b\n" })
        project.gitIn(at, "init", "--quiet")
        project.gitIn(at, "add", "--all")
        project.gitIn(at, "commit", "--quiet", "--message=b")
      }
      project.git("add", "--all")
      project.git("update-index", "--index-version", version)
      assert.deepStrictEqual(found(project), [], version)
      project.gitIn(inner, "config", "filter.x.clean", "x")
      assert.deepStrictEqual(found(project), ["filter.x.clean"], version)
      project.gitIn(inner, "config", "--unset", "filter.x.clean")
      project.gitIn(outer, "config", "core.fsmonitor", "./x")
      assert.deepStrictEqual(found(project), ["core.fsmonitor"], version)
      project.gitIn(outer, "config", "core.fsmonitor", "true")
      project.git("update-index", "--split-index")
      assert.deepStrictEqual(found(project), [], version)
      project.gitIn(outer, "config", "core.hooksPath", "x")
      assert.deepStrictEqual(found(project), ["core.hookspath"], version)
    }
  })

  it("are those of a repository that takes the place of a file in an index that stands on another one", () => {
    const project = repository()
    const inside = path.join(project.folder, "a.txt")
    project.git("update-index", "--split-index")
    fs.rmSync(inside)
    write(inside, { "b.txt": "b\n" })
    project.gitIn(inside, "init", "--quiet")
    project.gitIn(inside, "add", "--all")
    project.gitIn(inside, "commit", "--quiet", "--message=b")
    project.gitIn(inside, "config", "filter.x.clean", "x")
    const commit = project.gitIn(inside, "rev-parse", "HEAD").trim()
    project.git("update-index", "--cacheinfo", `160000,${commit},a.txt`)
    assert.lengthOf(found(project), 1)
  })

  it("are those of a submodule that is not checked out", () => {
    const project = repository()
    write(project.folder, { ".git/modules/a/b/HEAD": "ref: refs/heads/main\n", ".git/modules/a/b/config": hostile })
    assert.deepStrictEqual(found(project), ["diff.external"])
    const library = repository()
    const whole = repository()
    whole.git("submodule", "--quiet", "add", library.folder, "module")
    assert.deepStrictEqual(found(whole, "change"), [])
  })

  it("are those that cannot be read, or that git itself would refuse", () => {
    const large = repository()
    fs.appendFileSync(path.join(large.folder, ".git/config"), `# ${"x".repeat(1_000_000)}\n`)
    const broken = repository()
    fs.appendFileSync(path.join(broken.folder, ".git/config"), "[diff\n")
    const noFile = repository()
    fs.mkdirSync(path.join(noFile.folder, ".git/config.worktree"))
    for (const project of [large, broken, noFile]) assert.match(found(project).join(), /config(?:\.worktree)?$/)
    const index = repository()
    write(index.folder, { ".git/index": "DIRC\0\0\0\x09 link" })
    assert.match(found(index).join(), /index$/)
  })

  it("are those of a `.git` file that names a folder of the project", () => {
    const project = repository()
    fs.renameSync(path.join(project.folder, ".git"), path.join(project.folder, "docs"))
    write(project.folder, { ".git": "gitdir: docs\n" })
    assert.deepStrictEqual(found(project), [path.join(project.folder, ".git")])
    const outer = repository()
    write(outer.folder, { "sub/.git": "gitdir: ../docs.git\n" })
    outer.gitIn(outer.folder, "init", "--quiet", "--bare", "docs.git")
    assert.deepStrictEqual(GitSettings.programs(path.join(outer.folder, "sub")), [
      path.join(outer.folder, "sub", ".git")
    ])
    // To the byte: a name may end in a blank.
    const blank = repository()
    const outside = path.join(blank.home, "elsewhere ")
    fs.renameSync(path.join(blank.folder, ".git"), outside)
    fs.appendFileSync(path.join(outside, "config"), hostile)
    write(blank.folder, { ".git": "gitdir: ../elsewhere \n" })
    assert.deepStrictEqual(found(blank), ["diff.external"])
  })

  it("are those above a `.git` that is not whole, and of what looks like a bare repository", () => {
    const project = repository()
    write(project.folder, { "sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.git/config": "" })
    fs.appendFileSync(path.join(project.folder, ".git/config"), hostile)
    assert.deepStrictEqual(GitSettings.programs(path.join(project.folder, "sub")), ["diff.external"])
    const bare = folder()
    bare.git("init", "--quiet", "--bare")
    fs.appendFileSync(path.join(bare.folder, "config"), hostile)
    assert.deepStrictEqual(found(bare), ["diff.external"])
  })
})

describe("a configuration file", () => {
  const pieces = [
    "[a]",
    "[A.b]",
    '[a "B c"]',
    '[a "x\\"y\\\\"]',
    "[diff]",
    "\n",
    "\r\n",
    " ",
    "\t",
    "external = x",
    "name",
    "Na-me2=",
    "= ",
    '"a b"',
    "\\\n",
    "\\n",
    "\\",
    '"',
    "# c",
    "; c",
    "]",
    "[",
    "x",
    "\u00e4"
  ]

  /** What git says, or nothing where it refuses the text. */
  const told = (file: string): ReadonlyArray<string> | undefined => {
    try {
      return execFileSync("git", ["config", "-z", "--list", "--file", file], { encoding: "utf8", stdio: "pipe" })
        .split("\0")
        .slice(0, -1)
    } catch {
      return undefined
    }
  }

  it("is read as git reads it: whatever git finds is found", () => {
    const file = path.join(temporary(), "config")
    let state = 1
    const next = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    let accepted = 0
    for (let run = 0; run < 150; run++) {
      const text = Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)]).join("")
      fs.writeFileSync(file, text)
      const git = told(file)
      const own = parse(text)
      if (git === undefined) continue
      accepted += git.length > 0 ? 1 : 0
      // What is refused counts as naming a program, so only the other way round would be a hole.
      if (own === undefined) continue
      const names = own.map(({ name, value }) => (value === undefined ? name : `${name}\n${value}`))
      // Blanks within a value are kept or made one by one into spaces, as the version has it.
      const blanks = (all: ReadonlyArray<string>) => all.map((one) => one.replaceAll(/[\t\r]/g, " "))
      assert.deepStrictEqual(blanks(names), blanks(git), JSON.stringify(text))
    }
    assert.isAbove(accepted, 20)
  })
})
