/** What holds of paths, of commands and of writes on every kind of machine, with faults of its file system. */
import { CommandFiles, OwnPrograms, PathResolver } from "@belay/approval-policy/facts"
import { ApprovalPolicy, Approvals, type PolicyInput } from "@belay/approval-policy"
import * as shell from "@belay/approval-policy/shell"
import { Machine } from "@belay/machine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SafeFile from "../../src/workspace/paths/SafeFile.ts"
import * as SafeWrite from "../../src/workspace/paths/SafeWrite.ts"
import { type Fault, project, systems } from "./fixtures/Systems.ts"

const bytes = (text: string) => Buffer.from(text)

type Project = Effect.Success<ReturnType<typeof project>>

const input = (
  { workspace }: Project,
  more: Pick<PolicyInput.PolicyInput, "category" | "facts" | "tool"> & Partial<PolicyInput.PolicyInput>
): PolicyInput.PolicyInput => ({
  args: {},
  mode: "act",
  readOnly: more.category === "read",
  approvals: Approvals.edits,
  workspace,
  known: true,
  ...more
})

/** What the policy says of a call on a path. */
const judged = (world: Project, access: "read" | "write", given: string) => {
  const fact = PathResolver.resolve(given, { ...world, access })
  const tool = access === "read" ? "read_file" : "write_to_file"
  const category = access === "read" ? "read" : "edit"
  return ApprovalPolicy.decide(input(world, { category, tool, facts: { paths: [fact] } })).decision
}

/** What the policy says of a command line. */
const ofLine = (world: Project, text: string) => {
  const { workspace } = world
  const { searchedFirst: _, ...programs } = OwnPrograms.make({ ...world, folder: workspace, searchPath: "" })
  const reading = shell.read(text, programs)
  const files = CommandFiles.resolve(reading.targets, { ...world, folder: workspace })
  const cwd = PathResolver.resolve(".", { ...world, access: "read" })
  const command = { text, cwd, reading, files }
  return ApprovalPolicy.decide(
    input(world, { category: "command", tool: "execute_command", facts: { paths: [], command } })
  ).decision
}

const codes = ["EPERM", "EBUSY", "EACCES"] as const

/** Two files that take new content together, and one that goes. */
const changed = Effect.fnUntraced(function* (world: Project) {
  const texts = { "a.txt": "new", "b.txt": "new", "gone.txt": undefined }
  for (const name of Object.keys(texts)) world.write(name, "old")
  const healthy = { ...world.machine, fs: world.machine.fs }
  const changes = Object.entries(texts).map(([name, text]) => ({
    fact: PathResolver.resolve(name, { ...world, machine: healthy, access: "write" }),
    bytes: text === undefined ? undefined : bytes(text),
    expectedHash: SafeFile.hash(bytes("old"))
  }))
  return yield* SafeWrite.writeAll(changes).pipe(
    Effect.provideService(Machine.Current, world.machine),
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "written" })
  )
})

const before = [".env", "a.txt", "b.txt", "gone.txt", "link", "src"]
const after = before.filter((name) => name !== "gone.txt")

for (const system of systems) {
  describe(`on ${system.name}`, () => {
    it.effect("a path is judged by where it leads, however it is written", () =>
      Effect.gen(function* () {
        const world = yield* project(system)
        const { path } = world.machine
        const inside = ["src/Main.ts", "./src/../src/Main.ts", path.join(world.workspace, "src", "Main.ts")]
        if (system.folds) inside.push("SRC/main.TS", "src/MAIN.ts".normalize("NFD"))
        if (system.name === "Windows") inside.push("src\\Main.ts", "c:/users/me/PROJECT/src/Main.ts")
        for (const given of inside) {
          assert.strictEqual(judged(world, "read", given), "allow", given)
          assert.strictEqual(judged(world, "write", given), "allow", given)
        }
        for (const given of [
          "../secret",
          "link/secret",
          "src/../../secret",
          path.join(world.home, "secret"),
          "link/new/x"
        ]) {
          assert.notStrictEqual(judged(world, "read", given), "allow", given)
          assert.notStrictEqual(judged(world, "write", given), "allow", given)
        }
        for (const given of [".env", ".ENV", ".git/config", ".GIT/Config", "package.json", "Package.JSON"]) {
          assert.notStrictEqual(judged(world, "write", given), "allow", given)
        }
      })
    )

    it.effect("a command is judged by the files that it names, wherever they lead", () =>
      Effect.gen(function* () {
        const world = yield* project(system)
        for (const line of ["cat src/Main.ts", "cat src/*.ts", "wc -l src/M*", "ls src"]) {
          assert.strictEqual(ofLine(world, line), "allow", line)
        }
        for (const line of [
          "cat ../secret",
          "cat link/secret",
          "cat link/s*",
          "cat .env",
          "cat .en*",
          "rm src/Main.ts",
          "./src/Main.ts"
        ]) {
          assert.notStrictEqual(ofLine(world, line), "allow", line)
        }
      })
    )

    it.effect("files change together or not at all, when a rename fails once or for ever", () =>
      Effect.gen(function* () {
        for (const code of codes) {
          for (const often of [1, Infinity]) {
            // The waiting for one that is held for ever takes half a second; one code is enough.
            if (often > 1 && system.waits && code !== "EBUSY") continue
            let left: number = often
            let placed = 0
            const fault: Fault = (call, file) =>
              call === "renameSync" && file.endsWith(".tmp") && (placed > 0 || placed++ > 0) && left-- > 0
                ? code
                : undefined
            const world = yield* project(system, fault)
            const said = yield* changed(world)
            const isWritten = system.waits && often === 1
            const what = `${code} ${often}: ${said}`
            assert.strictEqual(said === "written", isWritten, what)
            assert.deepStrictEqual(world.names(), isWritten ? after : before, what)
            assert.strictEqual(world.read("a.txt"), isWritten ? "new" : "old", what)
            assert.strictEqual(world.read("b.txt"), isWritten ? "new" : "old", what)
          }
        }
      })
    )

    it.effect("files change together or not at all, when a removal fails once or for ever", () =>
      Effect.gen(function* () {
        for (const code of codes) {
          for (const often of [1, Infinity]) {
            if (often > 1 && system.waits && code !== "EBUSY") continue
            let left: number = often
            const world = yield* project(system, (call) => (call === "unlinkSync" && left-- > 0 ? code : undefined))
            const said = yield* changed(world)
            const isWritten = system.waits && often === 1
            const what = `${code} ${often}: ${said}`
            assert.strictEqual(said === "written", isWritten, what)
            assert.deepStrictEqual(world.names(), isWritten ? after : before, what)
            assert.strictEqual(world.read("a.txt"), isWritten ? "new" : "old", what)
          }
        }
      })
    )
  })
}
