/** Paths, the files of commands and writes as on Windows and macOS, over a folder of this machine. */
import { CommandFiles, OwnPrograms, PathResolver, SearchPath } from "@belay/approval-policy/facts"
import * as shell from "@belay/approval-policy/shell"
import { Machine } from "@belay/machine"
import { darwin, faulty, windows } from "@belay/machine/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Manifests from "../../src/workspace/command/Manifests.ts"
import * as ProgramFiles from "../../src/workspace/command/ProgramFiles.ts"
import * as SafeFile from "../../src/workspace/paths/SafeFile.ts"
import * as SafeWrite from "../../src/workspace/paths/SafeWrite.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "belay-volume-")))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

/** Windows with a project, and each path that was looked at. */
const onWindows = Effect.gen(function* () {
  const looked: Array<string> = []
  const machine = windows(
    {
      folder: yield* folder,
      shortNames: { "JOHNDO~1": "John Doe" },
      drives: { "S:": "C:\\Users\\John Doe" },
      onLook: (_, file) => looked.push(file)
    },
    ["C:\\", "D:\\", "\\\\evil\\share\\"]
  )
  const workspace = "C:\\Users\\John Doe\\Project"
  machine.fs.mkdirSync(`${workspace}\\src`, { recursive: true })
  machine.fs.writeFileSync(`${workspace}\\src\\Main.ts`, "main")
  const place = { workspace, home: "C:\\Users\\John Doe", machine }
  return {
    machine,
    place,
    looked,
    resolve: (given: string) => PathResolver.resolve(given, { ...place, access: "read" }),
    /** The paths on other machines that were looked at. */
    foreign: () => looked.filter((file) => /^[\\/]{2}|^\\\?\?/.test(file))
  }
})

const shares = [
  "\\\\evil\\share\\x",
  "//evil/share/x",
  "\\/evil/share/x",
  "/\\evil\\share\\x",
  "\\\\evil\\share",
  "\\\\?\\UNC\\evil\\share\\x",
  "\\\\?\\C:\\x",
  "\\\\.\\UNC\\evil\\share\\x",
  "//?/UNC/evil/share",
  "//./pipe/x",
  "\\??\\UNC\\evil\\share",
  "file://evil/share/x",
  "FILE://evil/share/x"
]

describe("a path on Windows", () => {
  it.effect.each(shares)("opens no share before anybody is asked: %s", (given) =>
    Effect.gen(function* () {
      const { foreign, looked, resolve } = yield* onWindows
      looked.length = 0
      const fact = resolve(given)
      assert.include(fact, { inside: false, failure: PathResolver.PathFailure.share })
      assert.deepStrictEqual(foreign(), [])
    })
  )

  it.effect("opens no share through a link of the project, whatever asks for it", () =>
    Effect.gen(function* () {
      const { foreign, looked, machine, place, resolve } = yield* onWindows
      machine.fs.symlinkSync("\\\\evil\\share", `${place.workspace}\\link`)
      machine.fs.symlinkSync("..\\..\\..\\src", `${place.workspace}\\src\\up`)
      looked.length = 0
      for (const given of ["link", "link/x", "src/../link/x", "LINK\\x"]) {
        assert.strictEqual(resolve(given).failure, PathResolver.PathFailure.share, given)
      }
      const command = { ...place, folder: place.workspace }
      const target = { role: "read", glob: true } as const
      for (const pattern of ["link/*", "//evil/share/*", "\\\\evil\\share\\*", "/c/Users/John Doe/Project/link/*"]) {
        const [facts = []] = CommandFiles.resolve([{ ...target, path: pattern, redirected: false }], command)
        for (const { inside } of facts) assert.isFalse(inside, pattern)
      }
      assert.deepStrictEqual(foreign(), [])
    })
  )

  it.effect(
    "opens no share through a link of the project to tell what a command runs, and which checks there are",
    () =>
      Effect.gen(function* () {
        const { foreign, looked, machine, place } = yield* onWindows
        const { workspace } = place
        const write = (name: string, text: string) => machine.fs.writeFileSync(`${workspace}\\${name}`, text)
        const links = {
          "package.json": "\\\\evil\\share\\package.json",
          tools: "\\\\evil\\share",
          far: "\\\\?\\UNC\\evil\\share\\x"
        }
        for (const [name, target] of Object.entries(links)) machine.fs.symlinkSync(target, `${workspace}\\${name}`)
        machine.fs.symlinkSync("..\\tools\\hooks", `${workspace}\\src\\.husky`)
        machine.fs.symlinkSync("tools\\Makefile", `${workspace}\\Makefile`)
        write("run.sh", "node tools/run.js ../Project/tools/x.py //evil/share/y.sh far/z.js")
        write("Cargo.toml", "[package]")
        looked.length = 0
        for (const text of [
          "sh run.sh",
          "make -C tools x",
          "node tools/run.js",
          "cd src && npm test",
          "./tools/run",
          "x(){ make; }; x"
        ]) {
          const { searchedFirst: _, ...programs } = OwnPrograms.make({
            ...place,
            folder: workspace,
            searchPath: "C:\\bin"
          })
          const reading = shell.read(text, programs)
          const cwd = PathResolver.resolve(".", { ...place, access: "read" })
          const files = CommandFiles.resolve(reading.targets, { ...place, folder: workspace })
          const found = ProgramFiles.of({ text, cwd, reading, files }, workspace, machine)
          if (text === "sh run.sh") assert.include(found, `${workspace}\\run.sh`)
        }
        assert.deepStrictEqual(Object.keys(Manifests.read(workspace, machine)), ["Cargo.toml"])
        assert.deepStrictEqual(foreign(), [])
      })
  )

  it.effect("opens no share to tell whose program a command names", () =>
    Effect.gen(function* () {
      const { foreign, looked, machine, place } = yield* onWindows
      looked.length = 0
      for (const program of ["\\\\evil\\share\\x.exe", "//evil/share/x"]) {
        assert.isFalse(SearchPath.isInside(place.workspace, machine.path.resolve(program), machine))
      }
      assert.deepStrictEqual(foreign(), [])
    })
  )

  it.effect("on the share of the workspace is a path like any other", () =>
    Effect.gen(function* () {
      const { machine } = yield* onWindows
      const workspace = "\\\\evil\\share\\project"
      machine.fs.mkdirSync(workspace, { recursive: true })
      machine.fs.writeFileSync(`${workspace}\\a.txt`, "a")
      const options = { workspace, home: "C:\\Users\\John Doe", access: "read", machine } as const
      assert.include(PathResolver.resolve("a.txt", options), { inside: true, relative: "a.txt", kind: "file" })
      assert.isUndefined(PathResolver.resolve("\\\\EVIL\\Share\\project\\a.txt", options).failure)
      assert.strictEqual(PathResolver.resolve("\\\\evil\\other\\x", options).failure, PathResolver.PathFailure.share)
    })
  )

  it.effect("is one file, however its letters, its slashes, its drive or its folder are written", () =>
    Effect.gen(function* () {
      const { resolve } = yield* onWindows
      for (const given of [
        "src/main.ts",
        "SRC\\MAIN.TS",
        "src\\..\\src\\Main.ts",
        "C:/Users/John Doe/project/src/Main.ts"
      ]) {
        const fact = resolve(given)
        assert.include(fact, { resolved: "C:\\Users\\John Doe\\Project\\src\\Main.ts", kind: "file" }, given)
        assert.isTrue(fact.insensitive)
      }
      assert.include(resolve("src/main.ts"), { inside: true, relative: "src/Main.ts" })
      assert.include(resolve("D:\\x"), { inside: false, kind: "absent" })
      assert.include(resolve("C:..\\secret"), { inside: false })
    })
  )

  it.effect("that Windows treats specially is none, the names with a raised digit among them", () =>
    Effect.gen(function* () {
      const { resolve } = yield* onWindows
      for (const given of [
        "COM1",
        "com¹.txt",
        "LPT²",
        "lpt³",
        "nul",
        "aux.ts",
        "a.",
        "a ",
        "src/x:stream",
        "con",
        "conin$"
      ]) {
        assert.strictEqual(resolve(given).failure, PathResolver.PathFailure.reserved, given)
      }
      for (const given of ["com", "COM10", "null", "console.ts", "a.b"])
        assert.isUndefined(resolve(given).failure, given)
    })
  )

  it.effect("of Git Bash is that of its drive, and one that only the shell knows cannot be told", () =>
    Effect.gen(function* () {
      const { place } = yield* onWindows
      const read = (given: string) =>
        CommandFiles.resolve([{ role: "read", glob: false, path: given, redirected: false }], {
          ...place,
          folder: place.workspace
        })
      const told = read("/c/Users/John Doe/Project/src/Main.ts").flat()
      assert.deepStrictEqual(
        told.map(({ relative }) => relative),
        ["src/Main.ts"]
      )
      for (const given of ["/tmp/x", "/usr/bin/x", "/cygdrive/c/x", "/opt/x", "/"]) {
        assert.deepStrictEqual(read(given), [[]], given)
      }
    })
  )
})

describe("a path on macOS", () => {
  it.effect("is one file, whatever its case and its Unicode form", () =>
    Effect.gen(function* () {
      const machine = darwin({ folder: yield* folder })
      const workspace = "/Users/me/Projekt"
      machine.fs.mkdirSync(workspace, { recursive: true })
      machine.fs.writeFileSync(`${workspace}/Zoë.ts`.normalize("NFC"), "x")
      const resolve = (given: string) =>
        PathResolver.resolve(given, { workspace, home: "/Users/me", access: "read", machine })
      const one = resolve("zoë.TS".normalize("NFD"))
      assert.include(one, { inside: true, kind: "file", insensitive: true })
      assert.strictEqual(one.resolved, resolve("Zoë.ts".normalize("NFC")).resolved)
      assert.isTrue(resolve("/users/ME/projekt/Zoë.ts").resolved.startsWith(workspace))
      // The text is outside as it is written: it asks.
      assert.isFalse(resolve("/users/me/other").inside)
    })
  )
})

const bytes = (text: string) => Buffer.from(text)

describe("files that change together", () => {
  /** Three files, of which all take new content; the machine's calls end as it is said. */
  const write = (
    workspace: Workspace.TestWorkspace,
    fault: (call: string, file: string) => string | undefined,
    platform: NodeJS.Platform = "win32"
  ) => {
    const names = ["a.txt", "b.txt", "c.txt"]
    for (const name of names) workspace.write(name, `old ${name}`)
    const changes = names.map((name) => ({
      fact: PathResolver.resolve(name, { workspace: workspace.root, home: "/", access: "write" }),
      bytes: bytes(`new ${name}`),
      expectedHash: SafeFile.hash(bytes(`old ${name}`))
    }))
    return SafeWrite.writeAll(changes).pipe(
      Effect.provideService(Machine.Current, faulty(fault, Machine.host, platform)),
      Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "written" })
    )
  }
  const contents = (workspace: Workspace.TestWorkspace) =>
    ["a.txt", "b.txt", "c.txt"].map((name) => workspace.read(name).split(" ")[0])

  it.effect("wait for a program that holds one for a moment, and are all written", () =>
    Effect.gen(function* () {
      for (const code of ["EPERM", "EACCES", "EBUSY"]) {
        const workspace = yield* Workspace.make
        let renames = 0
        // Each third try passes.
        const fault = (call: string) => (call === "renameSync" && renames++ % 3 < 2 ? code : undefined)
        assert.strictEqual(yield* write(workspace, fault), "written")
        assert.deepStrictEqual(contents(workspace), ["new", "new", "new"])
        assert.deepStrictEqual(fs.readdirSync(workspace.root), ["a.txt", "b.txt", "c.txt"])
      }
    })
  )

  it.effect("are all as before when one is held for ever, and what to do is said", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      let placed = 0
      const fault = (call: string, file: string) => {
        if (call !== "renameSync") return undefined
        // The second file is held; what is put back is not.
        return file.endsWith(".tmp") && placed++ >= 1 ? "EPERM" : undefined
      }
      const said = yield* write(workspace, fault)
      assert.strictEqual(said, "b.txt is held open by another program; close it there, then try again")
      assert.deepStrictEqual(contents(workspace), ["old", "old", "old"])
      assert.deepStrictEqual(fs.readdirSync(workspace.root), ["a.txt", "b.txt", "c.txt"])
    })
  )

  it.effect("keep the old content beside a file that cannot be put back, and name it", () =>
    Effect.gen(function* () {
      for (const platform of ["win32", "linux"] as const) {
        const workspace = yield* Workspace.make
        let renames = 0
        const fault = (call: string) => (call === "renameSync" && renames++ >= 1 ? "EACCES" : undefined)
        const said = yield* write(workspace, fault, platform)
        assert.match(
          said,
          /these were changed before and could not be put back: a\.txt \(its old content is beside it in \.belay-[-\w]+\.old\)/u
        )
        const kept = fs.readdirSync(workspace.root).filter((name) => name.endsWith(".old"))
        assert.deepStrictEqual(
          kept.map((name) => workspace.read(name)),
          ["old a.txt"]
        )
        assert.isTrue(said.includes(kept[0] ?? "none"))
        assert.deepStrictEqual(contents(workspace), ["new", "old", "old"])
      }
    })
  )

  it.effect("are not written on a drive that is not there", () =>
    Effect.gen(function* () {
      const { machine, place } = yield* onWindows
      const fact = PathResolver.resolve("Z:\\new\\file.txt", { ...place, access: "write" })
      assert.strictEqual(fact.failure, PathResolver.PathFailure.drive)
      const { failure: _, ...judged } = fact
      const written = yield* SafeWrite.write({ ...judged, kind: "absent" }, bytes("x"), {
        expectedHash: "absent"
      }).pipe(Effect.provideService(Machine.Current, machine), Effect.flip)
      assert.strictEqual(written.message, "Z:\\new\\file.txt does not exist (there is no Z:\\)")
    })
  )
})
