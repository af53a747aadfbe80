/** The program as it is built: what it writes, what it refuses, and that each project compiles and runs. */
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { writeTemplates } from "../templates.ts"

const own = path.resolve(import.meta.dirname, "..")
const root = path.resolve(own, "../..")
const program = path.join(own, "dist", "create-belay.js")

let place = ""
beforeEach(() => void (place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "create-belay-")))))
afterEach(() => fs.rmSync(place, { recursive: true, force: true }))

/** Without a key of whoever runs the tests. */
const environment = { ...process.env, ANTHROPIC_API_KEY: undefined, npm_config_user_agent: "pnpm/12.4.2 node/v24" }

const create = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [program, ...args], { cwd: place, encoding: "utf8", env: environment })

const names = ["task", "tool", "host", "effect"]

describe("npm create belay", () => {
  it("says what to type next, by the program that started it, and names the project after its folder", () => {
    const { status, stdout } = create("My Agent")
    assert.strictEqual(status, 0)
    assert.include(stdout, "  cd My Agent\n  pnpm install\n  pnpm start\n")
    const { name, private: isPrivate } = JSON.parse(fs.readFileSync(path.join(place, "My Agent/package.json"), "utf8"))
    assert.deepStrictEqual([name, isPrivate], ["my-agent", true])
    assert.include(fs.readFileSync(path.join(place, "My Agent/.gitignore"), "utf8"), "node_modules/")
  })

  it("writes as many files as the README says", () => {
    const counts = names.map((name) => Number.parseInt(create(name, "--template", name).stdout, 10))
    assert.deepStrictEqual([Math.min(...counts), Math.max(...counts)], [7, 9])
    assert.include(fs.readFileSync(path.resolve(import.meta.dirname, "../README.md"), "utf8"), "seven to nine files")
  })

  it("writes nothing where something is, and over no file", () => {
    fs.mkdirSync(path.join(place, "full"))
    fs.writeFileSync(path.join(place, "full/notes.md"), "mine")
    const full = create("full")
    assert.strictEqual(full.status, 1)
    assert.strictEqual(full.stderr, `create-belay: ${place}/full is not empty. Name a folder that is not there yet.\n`)
    assert.deepStrictEqual(fs.readdirSync(path.join(place, "full")), ["notes.md"])
    assert.match(create("full/notes.md").stderr, /notes\.md is a file/)
    assert.strictEqual(fs.readFileSync(path.join(place, "full/notes.md"), "utf8"), "mine")
    fs.mkdirSync(path.join(place, "repository/.git"), { recursive: true })
    assert.strictEqual(create("repository").status, 0)
  })

  it("refuses what it does not know in one line, and writes nothing", () => {
    assert.match(create().stderr, /^create-belay: no folder is named\. .*\n$/)
    assert.match(
      create("a", "--template", "none").stderr,
      /^create-belay: there is no template "none"\. Take one of .*\n$/
    )
    assert.match(create("a", "b").stderr, /^create-belay: two folders are named, a and b\. .*\n$/)
    assert.match(create("a", "--no-such").stderr, /^create-belay: unknown option '--no-such'\. .*\n$/)
    assert.deepStrictEqual(fs.readdirSync(place), [])
  })

  it("tells its templates and its version", () => {
    const { status, stdout } = create("--help")
    assert.strictEqual(status, 0)
    for (const name of names) assert.match(stdout, new RegExp(`^  ${name} `, "m"))
    assert.isTrue(stdout.split("\n").every((line) => line.length <= 80))
    assert.strictEqual(create("--version").stdout.trim(), "0.0.0")
  })

  it("pins what a project depends on to versions that can be installed", () => {
    const to = path.join(place, "templates")
    const workspace = fs.readFileSync(path.join(root, "pnpm-workspace.yaml"), "utf8")
    writeTemplates(path.join(own, "templates"), to, { version: "0.1.0", workspace })
    for (const name of names) {
      const manifest = JSON.parse(fs.readFileSync(path.join(to, name, "_package.json"), "utf8"))
      for (const [dependency, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
        assert.match(String(range), dependency.startsWith("@belay/") ? /^\^0\.1\.0$/ : /^\^\d+\.\d+\.\d+$/, dependency)
    }
  })
})

/** A project with the packages of this workspace in place of installed ones. */
const project = (name: string): string => {
  assert.strictEqual(create(name, "--template", name).status, 0)
  const folder = path.join(place, name)
  fs.symlinkSync(path.join(own, "node_modules"), path.join(folder, "node_modules"), "junction")
  return folder
}

const node = (folder: string, args: ReadonlyArray<string>, input = ""): string =>
  execFileSync(process.execPath, ["--conditions=@belay/source", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: environment,
    input,
    // One that waits for what nobody says is ended.
    timeout: 60_000
  })

describe("a project", () => {
  it("runs and asks in the terminal: task", () => {
    const folder = project("task")
    const said = node(folder, ["src/main.ts"], "y\n")
    assert.include(said, "greeting.txt")
    assert.match(said, /write_to_file: ok\nattempt_completion: ok\nThe greeting is written\.\n$/)
    assert.strictEqual(fs.readFileSync(path.join(folder, "project/greeting.txt"), "utf8"), "Hello!\n")
  })

  it("changes nothing where the input ends before an answer: task", () => {
    const folder = project("task")
    assert.match(node(folder, ["src/main.ts"]), /write_to_file: error\nattempt_completion: ok\n/)
    assert.deepStrictEqual(fs.readdirSync(path.join(folder, "project")), [])
  })

  it("runs, and so does its test: tool", () => {
    const folder = project("tool")
    assert.strictEqual(node(folder, ["src/main.ts"]), "deploy: ok\nattempt_completion: ok\nIt runs on staging.\n")
    assert.match(node(folder, ["--test", "--test-reporter=tap"]), /^# pass 1\n# fail 0$/m)
  })

  it("runs: effect", () => {
    assert.strictEqual(node(project("effect"), ["src/main.ts"]), "weather: ok\nattempt_completion: ok\nTake a coat.\n")
  })
})
