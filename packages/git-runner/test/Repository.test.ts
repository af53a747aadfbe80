/** Questions to git start nothing that a project names. Each attack is shown to work with the user's git first. */
import { GitRefused, Repository } from "@belay/git-runner"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { folder, type Project, repository, script, write } from "./folders.ts"

const questions = [
  ["status", "--short", "--branch", "--ignore-submodules=dirty"],
  ["diff", "HEAD", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"],
  ["show", "--no-ext-diff", "--no-textconv", "--no-show-signature", "HEAD"],
  ["log", "--no-show-signature", "--max-count=1", "--format=%s"]
]

/** What all questions answer, or why they are not asked. */
const ask = (project: Project, changes: NodeJS.ProcessEnv = {}, at = project.folder) =>
  Effect.gen(function* () {
    const opened = yield* Repository.open(at, { ...project.environment, ...changes })
    const answers = yield* Effect.forEach(questions, opened.ask)
    return answers.join("\n")
  }).pipe(Effect.catchTag("GitFailed", ({ detail }) => Effect.succeed(`failed: ${detail}`)))

const refusal = (project: Project) =>
  Effect.map(Effect.flip(ask(project)), (error) => {
    assert.instanceOf(error, GitRefused)
    return error
  })

describe("settings of a repository that start programs", () => {
  const attacks: ReadonlyArray<
    readonly [name: string, plant: (project: Project) => void, works: ReadonlyArray<string>]
  > = [
    [
      "filter.x.clean",
      ({ folder, git, spy }) => {
        write(folder, { ".gitattributes": "* filter=x\n" })
        git("config", "filter.x.clean", spy)
      },
      ["diff"]
    ],
    [
      "filter.x.process",
      ({ folder, git, spy }) => {
        write(folder, { ".git/info/attributes": "* filter=x\n" })
        git("config", "filter.x.process", spy)
      },
      ["status"]
    ],
    [
      "diff.x.textconv",
      ({ folder, git, spy }) => {
        write(folder, { ".gitattributes": "* diff=x\n" })
        git("config", "diff.x.textconv", spy)
      },
      ["diff"]
    ],
    ["diff.external", ({ git, spy }) => git("config", "diff.external", spy), ["diff"]],
    [
      "include.path",
      ({ folder, git, spy }) => {
        write(folder, { "own.config": `[diff]\n\texternal = ${spy}\n` })
        git("config", "include.path", "../own.config")
      },
      ["diff"]
    ],
    [
      "includeif.gitdir:**.path",
      ({ folder, git, spy }) => {
        write(folder, { "own.config": `[diff]\n\texternal = ${spy}\n` })
        git("config", "includeIf.gitdir:**.path", "../own.config")
      },
      ["diff"]
    ],
    [
      "diff.external",
      ({ git, spy }) => {
        git("config", "extensions.worktreeConfig", "true")
        git("config", "--worktree", "diff.external", spy)
      },
      ["diff"]
    ],
    [
      "diff.external",
      ({ folder, spy }) => fs.appendFileSync(path.join(folder, ".git/config"), `[a][diff] external = ${spy}\n`),
      ["diff"]
    ]
  ]

  for (const [name, plant, works] of attacks) {
    it.live(`are found before git runs: ${name}`, () =>
      Effect.gen(function* () {
        const project = repository()
        plant(project)
        fs.utimesSync(path.join(project.folder, "a.txt"), 1, 1)
        try {
          project.git(...works)
        } catch {
          // A program that does not speak git's protocol has run all the same.
        }
        assert.isTrue(project.ran(), "the attack does not work")
        project.forget()
        const error = yield* refusal(project)
        assert.strictEqual(error.reason, "programs")
        assert.include(error.subject, name)
        assert.notInclude(error.message, "\n")
        assert.isFalse(project.ran())
      })
    )
  }

  it.live("and those that can be switched off are", () =>
    Effect.gen(function* () {
      const project = repository()
      const hook = path.join(project.folder, ".git/hooks/post-index-change")
      script(hook, `touch ${path.join(project.home, "ran")}`)
      for (const [name, value] of [
        ["core.fsmonitor", project.spy],
        ["core.pager", project.spy],
        ["pager.status", project.spy],
        ["alias.status", `!${project.spy}`],
        ["core.sshCommand", project.spy],
        ["log.showSignature", "true"],
        ["credential.helper", project.spy]
      ] as const) {
        project.git("config", name, value)
      }
      project.git("status")
      assert.isTrue(project.ran(), "the attack does not work")
      project.forget()
      const index = fs.readFileSync(path.join(project.folder, ".git/index"))
      fs.utimesSync(path.join(project.folder, "a.txt"), 1, 1)
      assert.include(yield* ask(project), "+two")
      assert.isFalse(project.ran())
      assert.deepStrictEqual(fs.readFileSync(path.join(project.folder, ".git/index")), index)
    })
  )

  it.live("are found in a repository inside that git would enter, and it is not entered", () =>
    Effect.gen(function* () {
      const project = repository()
      const inside = path.join(project.folder, "sub")
      write(inside, { "b.txt": "one\n", ".gitattributes": "* filter=x\n" })
      project.gitIn(inside, "init", "--quiet")
      project.gitIn(inside, "add", "--all")
      project.gitIn(inside, "commit", "--quiet", "--message=sub")
      project.git("add", "sub")
      write(inside, { "b.txt": "two\n" })
      // Without programs it is asked.
      assert.include(yield* ask(project), "+two")
      project.gitIn(inside, "config", "filter.x.clean", path.join(project.folder, "spy.sh"))
      project.git("status")
      assert.isTrue(project.ran(), "the attack does not work")
      project.forget()
      assert.deepStrictEqual((yield* refusal(project)).subject, ["filter.x.clean"])
      assert.isFalse(project.ran())
    })
  )

  it.live("are found when git looks at another folder than the one it is asked about", () =>
    Effect.gen(function* () {
      const project = repository()
      write(project.home, { "private/secret.txt": "secret\n" })
      project.git("config", "core.worktree", path.join(project.home, "private"))
      assert.include(
        project.gitIn(path.join(project.home, "private"), "--git-dir", "../project/.git", "status"),
        "secret"
      )
      assert.deepStrictEqual((yield* refusal(project)).subject, ["core.worktree"])
    })
  )
})

describe("what stands around git", () => {
  it.live("is not a git of the project, whatever stands on PATH", () =>
    Effect.gen(function* () {
      const project = repository()
      const planted = (name: string) =>
        script(path.join(project.folder, name), `touch ${path.join(project.home, "ran")}`)
      planted("node_modules/.bin/git")
      planted("bin/git")
      planted("packages/a/git.cmd")
      planted("../node_modules/.bin/git")
      fs.symlinkSync(path.join(project.folder, "bin"), path.join(project.home, "link"))
      fs.mkdirSync(path.join(project.home, "tools"))
      fs.symlinkSync(path.join(project.folder, "bin/git"), path.join(project.home, "tools/git"))
      const folders = [
        "node_modules/.bin",
        "../node_modules/.bin",
        "bin",
        "packages/a",
        "../link",
        "../tools",
        "../project/bin"
      ]
      const first = folders.map((name) => path.resolve(project.folder, name))
      const PATH = ["node_modules/.bin", ".", "", ...first, process.env["PATH"]].join(path.delimiter)
      assert.include(yield* ask(project, { PATH }), "+two")
      // A workspace that is a part of the project has the same programs.
      assert.include(yield* ask(project, { PATH }, path.join(project.folder, "packages/a")), "The first")
      assert.isFalse(project.ran())
      const none = yield* Effect.flip(
        Repository.open(project.folder, { ...project.environment, PATH: first.join(path.delimiter) })
      )
      assert.strictEqual(none.reason, "noGit")
    })
  )

  it.live("is not the environment of the host", () =>
    Effect.gen(function* () {
      const project = repository()
      const spy = path.join(project.folder, "spy.sh")
      const other = repository()
      write(other.folder, { "a.txt": "of another\n" })
      const hostile = {
        GIT_EXTERNAL_DIFF: spy,
        GIT_DIR: path.join(other.folder, ".git"),
        GIT_WORK_TREE: other.folder,
        GIT_SSH_COMMAND: spy,
        GIT_PAGER: spy,
        GIT_EXEC_PATH: path.join(project.folder),
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.fsmonitor",
        GIT_CONFIG_VALUE_0: spy,
        GIT_CONFIG_PARAMETERS: `'diff.external=${spy}'`,
        GIT_CONFIG_GLOBAL: path.join(project.folder, "own.config"),
        GIT_INDEX_FILE: path.join(other.folder, ".git/index")
      }
      write(project.folder, { "own.config": `[diff]\n\texternal = ${spy}\n` })
      const text = yield* ask(project, hostile)
      assert.include(text, "+two")
      assert.notInclude(text, "of another")
      assert.isFalse(project.ran())
    })
  )

  it.live("is no network: what a repository does not have is not fetched", () =>
    Effect.gen(function* () {
      const project = repository()
      const remote = path.join(project.home, "remote.sh")
      script(remote, `touch ${path.join(project.home, "ran")}`)
      const blob = project.git("rev-parse", "HEAD:a.txt").trim()
      for (const [name, value] of [
        ["core.repositoryFormatVersion", "1"],
        ["extensions.partialClone", "origin"],
        ["remote.origin.promisor", "true"],
        ["remote.origin.url", `ext::${remote}`],
        ["protocol.ext.allow", "always"]
      ] as const) {
        project.git("config", name, value)
      }
      fs.rmSync(path.join(project.folder, ".git/objects", blob.slice(0, 2), blob.slice(2)))
      try {
        project.git("diff", "HEAD")
      } catch {
        // What was fetched is no object.
      }
      assert.isTrue(project.ran(), "the attack does not work")
      project.forget()
      assert.match(yield* ask(project), /^failed: /)
      assert.isFalse(project.ran())
    })
  )

  it.live("is no folder that looks like a bare repository", () =>
    Effect.gen(function* () {
      const project = folder()
      project.git("init", "--quiet", "--bare")
      project.git("config", "core.bare", "false")
      project.git("config", "core.worktree", ".")
      project.git("config", "core.fsmonitor", project.spy)
      project.git("status")
      assert.isTrue(project.ran(), "the attack does not work")
      project.forget()
      assert.match(yield* ask(project), /^failed: .*bare repository/)
      assert.isFalse(project.ran())
    })
  )
})

describe("an ordinary repository", () => {
  it.live("is asked with the user's name, ignored files and git-lfs in the global configuration", () =>
    Effect.gen(function* () {
      const project = repository()
      const trace = path.join(project.home, "ran")
      write(project.home, {
        ".gitconfig": [
          "[user]\n\tname = U\n\temail = u@localhost",
          "[core]\n\texcludesFile = ~/ignored\n\tpager = less",
          `[filter "lfs"]\n\tclean = touch ${trace}; cat\n\tsmudge = cat\n\tprocess = touch ${trace}\n\trequired = true`,
          "[alias]\n\tst = status",
          ""
        ].join("\n"),
        ignored: "*.log\n"
      })
      write(project.folder, { ".gitattributes": "*.txt filter=lfs\n", "b.log": "log\n" })
      const text = yield* ask(project)
      for (const part of ["+two", "?? new.txt", "The first"]) assert.include(text, part)
      assert.notInclude(text, "b.log")
      assert.isFalse(project.ran())
    })
  )

  it.live("is asked without a home folder, and with the file of ignored names that git takes by itself", () =>
    Effect.gen(function* () {
      const project = repository()
      write(project.home, { ".config/git/ignore": "*.log\n" })
      write(project.folder, { "b.log": "log\n" })
      assert.notInclude(yield* ask(project), "b.log")
      assert.include(yield* ask(project, { HOME: undefined, USERPROFILE: undefined }), "b.log")
    })
  )

  it.live("is asked in a work tree of its own, a submodule, and below its top", () =>
    Effect.gen(function* () {
      const project = repository()
      const library = repository()
      project.git("submodule", "--quiet", "add", library.folder, "module")
      project.git("commit", "--quiet", "--message=With a submodule")
      project.git("worktree", "add", "--quiet", path.join(project.home, "tree"))
      write(project.folder, { "packages/a/c.txt": "c\n" })
      for (const at of [path.join(project.folder, "packages/a"), path.join(project.home, "tree"), project.folder]) {
        assert.include(yield* ask(project, {}, at), "With a submodule")
      }
      assert.include(yield* ask(project, {}, path.join(project.folder, "module")), "The first")
    })
  )

  it.effect("is asked for 10 seconds, and then git is ended", () =>
    Effect.gen(function* () {
      const project = repository()
      const pid = path.join(project.home, "pid")
      script(path.join(project.home, "tools/git"), `case "$*" in *status*) echo $$ >${pid}; exec sleep 1000;; esac`)
      const PATH = [path.join(project.home, "tools"), process.env["PATH"]].join(path.delimiter)
      const passing = Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow))
      const error = yield* Effect.raceFirst(Effect.flip(ask(project, { PATH })), passing)
      assert.instanceOf(error, GitRefused)
      assert.strictEqual(error.reason, "tooSlow")
      const started = fs.existsSync(pid) ? Number(fs.readFileSync(pid, "utf8")) : 0
      if (started > 0) assert.throws(() => process.kill(started, 0))
    })
  )

  it.live("answers what git cannot answer with an error, and ends at a limit of output", () =>
    Effect.gen(function* () {
      const project = folder()
      assert.match(yield* ask(project), /^failed: git status: fatal: not a git repository/)
      const large = repository()
      write(large.folder, { "a.txt": "x".repeat(20_000_000) })
      const error = yield* refusal(large)
      assert.strictEqual(error.reason, "tooMuch")
      assert.include(error.message, "16 MB")
    })
  )
})
