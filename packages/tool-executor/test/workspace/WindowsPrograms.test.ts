/** Which program Windows starts for a name, how a script gets its arguments, and where Git Bash is found. */
import { OwnPrograms, ProgramSearch } from "@belay/approval-policy/facts"
import * as shell from "@belay/approval-policy/shell"
import { windows } from "@belay/machine/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Bash from "../../src/workspace/process/Bash.ts"
import * as CommandEnvironment from "../../src/workspace/process/CommandEnvironment.ts"
import * as Invocation from "../../src/workspace/process/Invocation.ts"

const workspace = "C:\\Users\\me\\project"

/** Windows with these files, each of which can be run. */
const withFiles = (files: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "belay-windows-")))),
      (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
    ),
    (folder) => {
      const machine = windows({ folder }, ["C:\\", "D:\\"])
      machine.fs.mkdirSync(workspace, { recursive: true })
      for (const [file, text] of Object.entries(files)) {
        machine.fs.mkdirSync(machine.path.dirname(file), { recursive: true })
        machine.fs.writeFileSync(file, text, { mode: 0o755 })
      }
      return machine
    }
  )

const node = "C:\\Program Files\\nodejs"
const Path = `${node};C:\\Windows\\System32;relative;D:\\tools`

describe("the start of a program on Windows", () => {
  const files = {
    [`${node}\\node.exe`]: "",
    [`${node}\\npx.cmd`]: "",
    [`${node}\\npx`]: "#!/bin/sh",
    "C:\\Windows\\System32\\cmd.exe": "",
    "D:\\tools\\uvx.exe": "",
    "D:\\tools\\uvx.bat": "",
    [`${workspace}\\npx.exe`]: "a trap"
  }
  const of = (machine: ReturnType<typeof windows>, program: string, ...args: ReadonlyArray<string>) =>
    Invocation.of({ program, args, cwd: workspace, env: { Path, SystemRoot: "C:\\Windows" } }, machine)

  it.effect("is by its own path, and by cmd for a script, with each argument between quotes", () =>
    Effect.gen(function* () {
      const machine = yield* withFiles(files)
      assert.deepStrictEqual(of(machine, "node", "a b.js"), {
        program: `${node}\\node.exe`,
        args: ["a b.js"],
        verbatim: false
      })
      assert.deepStrictEqual(of(machine, "uvx"), { program: "D:\\tools\\uvx.exe", args: [], verbatim: false })
      for (const name of ["npx", "npx.cmd", "NPX.CMD"]) {
        const started = of(machine, name, "-y", "@scope/server", "C:\\my folder\\")
        if (typeof started === "string") return assert.fail(started)
        assert.strictEqual(started.program, "C:\\Windows\\System32\\cmd.exe")
        assert.isTrue(started.verbatim)
        const line = `"${node}\\npx.cmd" "-y" "@scope/server" "C:\\my folder\\\\"`
        assert.deepStrictEqual(started.args.slice(0, -1), ["/d", "/s", "/v:off", "/c"])
        assert.strictEqual(started.args.at(-1)?.toLowerCase(), `"${line}"`.toLowerCase())
      }
    })
  )

  it.effect("gives a script nothing that cmd would take for its own", () =>
    Effect.gen(function* () {
      const machine = yield* withFiles(files)
      for (const sign of ["%PATH%", "!x!", 'say "hi"', "a^b", "a&calc", "a|b", "a<b", "a>b", "a\nb", "a\rb", "a\0b"]) {
        const problem = of(machine, "npx", "-y", sign)
        if (typeof problem !== "string") return assert.fail(sign)
        assert.match(problem, /^only cmd runs this script, and cmd cannot be given ".*"; start its program instead$/u)
        // A program gets it as it is.
        assert.deepInclude(of(machine, "node", sign), { args: [sign], verbatim: false })
      }
    })
  )

  it.effect("is left to the system where nothing is found, and elsewhere is as it was given", () =>
    Effect.gen(function* () {
      const machine = yield* withFiles(files)
      assert.deepStrictEqual(of(machine, "gone", "x"), { program: "gone", args: ["x"], verbatim: false })
      assert.deepStrictEqual(Invocation.of({ program: "npx", args: ["%"], cwd: "/", env: {} }), {
        program: "npx",
        args: ["%"],
        verbatim: false
      })
    })
  )

  it.effect("is never a program of the project with that name, nor one of a relative folder", () =>
    Effect.gen(function* () {
      const machine = yield* withFiles({ ...files, [`${workspace}\\relative\\uvx.exe`]: "a trap" })
      const env = { PATH: `${workspace};relative;${Path}`, SystemRoot: "C:\\Windows" }
      const { PATH } = CommandEnvironment.scrub(env, workspace, { outside: true, machine })
      assert.strictEqual(PATH, `${node};C:\\Windows\\System32;D:\\tools`)
      assert.strictEqual(ProgramSearch.resolveProgram("uvx", workspace, PATH, machine), "D:\\tools\\uvx.exe")
      assert.isUndefined(ProgramSearch.resolveProgram("npx.cmd", workspace, PATH, machine))
    })
  )
})

describe("a program on Windows that is called with the ending of its file", () => {
  const files = {
    "C:\\Git\\cmd\\git.exe": "",
    [`${node}\\node.exe`]: "",
    [`${node}\\npm.cmd`]: "",
    "C:\\Windows\\System32\\sort.exe": "",
    "C:\\Windows\\System32\\find.exe": "",
    "D:\\tools\\git.cmd": "",
    "D:\\tools\\ls.bat": "",
    "D:\\tools\\ls.ps1": "",
    "D:\\tools\\cat.cmd.exe": "",
    "D:\\tools\\npx.cmd.exe": "",
    [`${workspace}\\bin\\git.exe`]: "a trap",
    [`${workspace}\\bin\\npm.cmd`]: "a trap",
    [`${workspace}\\git.exe`]: "a trap",
    [`${workspace}\\npm.cmd`]: "a trap"
  }
  const Path = `C:\\Git\\cmd;${node};C:\\Windows\\System32;D:\\tools`
  const readingOf = (searchPath: string, text: string) =>
    Effect.map(withFiles(files), (machine) => {
      const { searchedFirst: _, ...programs } = OwnPrograms.make({ workspace, folder: workspace, searchPath, machine })
      return shell.read(text, programs).actions.at(-1)
    })

  it.effect.each([
    ["git.exe status", "git", true],
    ["git.EXE log -3 | git.exe status", "git", true],
    ["xargs git.exe status", "git", false],
    ["node.exe --version", "node", true],
    ["npm.cmd test", "npm", false],
    ["npm.cmd run build --silent", "npm", false]
  ] as const)("is what it is without it: %s", ([text, program, readOnly]) =>
    Effect.gen(function* () {
      const action = yield* readingOf(Path, text)
      assert.strictEqual(action?.argv[0], program)
      assert.isFalse(action?.unknown)
      if (readOnly) assert.isTrue(action?.readOnly)
    })
  )

  it.effect.each([
    // Not where PATH leads, or by a path: another file may have the name.
    ["./git.exe status", Path],
    [".\\\\git.exe status", Path],
    ["bin/git.exe status", Path],
    ["C:/Git/cmd/git.exe status", Path],
    ["git.exe status", `${workspace}\\bin;${Path}`],
    ["git.exe status", workspace],
    ["npm.cmd test", `${workspace}\\bin;${Path}`],
    ["git.exe status", "C:\\Windows\\System32"],
    ["git.exe status", ".;bin"],
    // Scripts are of anybody, but for those of the package managers.
    ["git.cmd status", Path],
    ["ls.bat", Path],
    ["ls.ps1", Path],
    ["ls.com", Path],
    // What Windows itself calls so is another program.
    ["sort.exe /O a.txt b.txt", Path],
    ["find.exe . -name x", Path],
    // An ending behind the ending.
    ["cat.cmd a", Path],
    ["npx.cmd x", Path],
    ["git.exe.exe status", Path],
    // Letters that are not its own.
    ["GIT.exe status", Path],
    // cmd would read more than one word.
    ["npm.cmd test 'a&calc'", Path],
    ["npm.cmd test %PATH%", Path],
    ["npm.cmd test $X", Path],
    ["npm.cmd test *", Path]
  ] as const)("is not known otherwise: %s (%s)", ([text, searchPath]) =>
    Effect.gen(function* () {
      const action = yield* readingOf(searchPath, text)
      assert.isFalse(action?.readOnly)
      assert.notInclude(["git", "npm", "npx", "ls", "cat", "sort", "find"], action?.argv[0])
    })
  )

  it.effect("is itself on other systems", () =>
    Effect.sync(() => {
      assert.isUndefined(OwnPrograms.make({ workspace: "/p", folder: "/p", searchPath: "/bin" }).bare)
      assert.strictEqual(shell.read("git.exe status").actions[0]?.argv[0], "git.exe")
    })
  )
})

describe("Git Bash", () => {
  const layouts: ReadonlyArray<
    readonly [name: string, bash: string, also: Readonly<Record<string, string>>, env: object]
  > = [
    ["for everybody", "C:\\Program Files\\Git\\bin\\bash.exe", {}, { ProgramFiles: "C:\\Program Files" }],
    [
      "of 32 bits",
      "C:\\Program Files (x86)\\Git\\bin\\bash.exe",
      {},
      { "ProgramFiles(x86)": "C:\\Program Files (x86)" }
    ],
    [
      "for one person",
      "C:\\Users\\me\\Local\\Programs\\Git\\bin\\bash.exe",
      {},
      { LOCALAPPDATA: "C:\\Users\\me\\Local" }
    ],
    ["of scoop", "C:\\Users\\me\\scoop\\apps\\git\\current\\bin\\bash.exe", {}, { USERPROFILE: "C:\\Users\\me" }],
    [
      "of scoop elsewhere, by the small program on PATH",
      "D:\\scoop\\apps\\git\\2.50\\bin\\bash.exe",
      {
        "D:\\scoop\\shims\\git.exe": "",
        "D:\\scoop\\shims\\git.shim": 'path = "D:\\scoop\\apps\\git\\2.50\\cmd\\git.exe"\r\n',
        "D:\\scoop\\apps\\git\\2.50\\cmd\\git.exe": ""
      },
      { Path: "D:\\scoop\\shims" }
    ],
    [
      "unpacked somewhere",
      "D:\\Git\\bin\\bash.exe",
      { "D:\\Git\\cmd\\git.exe": "" },
      { Path: "relative;D:\\Git\\cmd" }
    ],
    [
      "whose inner folder is on PATH",
      "D:\\Git\\bin\\bash.exe",
      { "D:\\Git\\mingw64\\bin\\git.exe": "" },
      { PATH: "D:\\Git\\mingw64\\bin" }
    ],
    [
      "of GitHub Desktop",
      "C:\\Users\\me\\Local\\GitHubDesktop\\app-3.4\\resources\\app\\git\\usr\\bin\\bash.exe",
      {},
      { LOCALAPPDATA: "C:\\Users\\me\\Local" }
    ]
  ]

  it.effect.each(layouts)("is found %s", ([, bash, also, env]) =>
    Effect.gen(function* () {
      const machine = yield* withFiles({ [bash]: "", ...also, "C:\\Windows\\System32\\bash.exe": "WSL" })
      assert.strictEqual(Bash.find({ ...env }, workspace, { machine }), bash)
    })
  )

  it.effect("is never that of WSL, nor one of the project", () =>
    Effect.gen(function* () {
      const machine = yield* withFiles({
        "C:\\Windows\\System32\\bash.exe": "WSL",
        [`${workspace}\\Git\\cmd\\git.exe`]: "a trap",
        [`${workspace}\\Git\\bin\\bash.exe`]: "a trap"
      })
      const env = { Path: `C:\\Windows\\System32;${workspace}\\Git\\cmd`, SystemRoot: "C:\\Windows" }
      assert.isUndefined(Bash.find(env, workspace, { machine }))
    })
  )

  it.effect("that settings name is the one, and where it cannot be used there is no other", () =>
    Effect.gen(function* () {
      const named = "D:\\portable\\bin\\bash.exe"
      const machine = yield* withFiles({
        [named]: "",
        "C:\\Program Files\\Git\\bin\\bash.exe": "",
        "C:\\Windows\\System32\\bash.exe": "WSL",
        "D:\\portable\\bin\\zsh.exe": "",
        [`${workspace}\\bash.exe`]: "a trap"
      })
      const find = (file: string) =>
        Bash.find({ ProgramFiles: "C:\\Program Files" }, workspace, { machine, named: file })
      assert.strictEqual(find(named), named)
      for (const [file, why] of [
        ["D:\\gone\\bash.exe", /^is not there/],
        ["bin\\bash.exe", /^is no absolute path/],
        ["D:\\portable\\bin\\zsh.exe", /^is no bash/],
        ["C:\\Windows\\System32\\bash.exe", /^is that of WSL/],
        [`${workspace}\\bash.exe`, /^lies in the workspace/]
      ] as const) {
        assert.isUndefined(find(file), file)
        assert.match(Bash.unusable(file, workspace, machine) ?? "", why)
      }
    })
  )
})
