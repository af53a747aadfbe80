/** What a person is told of Belay on this machine: whether a task could run, how it was installed, which version it is. */
import { ScriptedServer } from "@belay/testkit"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import * as Installation from "../src/doctor/Installation.ts"
import * as Screen from "./support/Screen.ts"
import { alone, belay, folder, json } from "./support/cli.ts"

interface Finding {
  readonly name: string
  readonly state: string
  readonly found: string
  readonly cure?: string
}

const doctor = async (env: Parameters<typeof belay>[1], cwd = folder()) => {
  const { code, stdout } = await belay(
    ["doctor", "--output", "json"],
    { BELAY_HOME: path.join(folder(), "home"), ...env },
    cwd
  )
  const { findings, ok } = json(stdout)
  const by = new Map((findings as ReadonlyArray<Finding>).map((finding) => [finding.name, finding]))
  return { code, ok, findings: findings as ReadonlyArray<Finding>, by }
}

describe("belay doctor", () => {
  it("finds a machine sound on which a task could run, with the versions of what it runs", async () => {
    const server = await ScriptedServer.startServer({ apiKey: "test-key", tasks: [] })
    afterAll(() => server.close())
    const { by, code, findings, ok } = await doctor({ ANTHROPIC_BASE_URL: server.url })
    assert.deepStrictEqual(
      findings.filter(({ state }) => state === "failed"),
      []
    )
    assert.deepStrictEqual([code, ok], [0, true])
    assert.include(by.get("node")?.found, process.versions.node)
    assert.match(by.get("bash")?.found ?? "", /bash.* \(\/.*bash\)$/)
    assert.match(by.get("git")?.found ?? "", /^git version \d/)
    assert.match(by.get("rg")?.found ?? "", /^ripgrep \d/)
    assert.match(by.get("disk")?.found ?? "", /^\d+ [MG]B free/)
    assert.strictEqual(by.get("process")?.found, "no other one")
    for (const name of ["belay", "settings", "key", "service", "model", "sandbox", "data folder", "history"]) {
      assert.isTrue(by.has(name), name)
    }
    assert.deepStrictEqual(
      server.requests.map(({ path: at }) => at).filter((at) => at === "/v1/messages"),
      [],
      "nothing that costs is asked"
    )
  })

  it("breaks no word of a line in a terminal of 80 columns that has room for it", async () => {
    const env = { BELAY_HOME: path.join(folder(), "home") }
    const screen = Screen.open(["doctor"], env, folder(), { columns: 80, rows: 40 })
    assert.strictEqual(await screen.exit, 1)
    assert.deepStrictEqual(screen.overflown(), [])
    const { findings } = await doctor({})
    const words = findings.flatMap(({ cure = "", found }) => `${found} ${cure}`.split(" "))
    const shown = new Set(screen.lines().flatMap((line) => line.split(" ")))
    assert.deepStrictEqual(
      words.filter((word) => /^[a-z]{2,}$/.test(word) && !shown.has(word)),
      []
    )
  })

  it("says of each thing that is missing what to do, looks at all the others, and exits 1", async () => {
    const home = path.join(folder(), "a-file")
    writeFileSync(home, "")
    const broken = await doctor({ BELAY_HOME: home })
    assert.deepStrictEqual([broken.code, broken.ok], [1, false])
    assert.include(broken.by.get("data folder")?.cure, "BELAY_HOME")
    const unreachable = await doctor({})
    assert.strictEqual(unreachable.by.get("service")?.state, "failed")
    assert.include(unreachable.by.get("service")?.cure, "ANTHROPIC_BASE_URL")
    const keyless = await alone(["doctor"], { BELAY_HOME: folder(), ANTHROPIC_API_KEY: undefined })
    assert.match(
      keyless.stdout.join("\n"),
      /^failed +key +no key for 127\.0\.0\.1:9\n {10,}Run "belay auth", or set ANTHROPIC_API_KEY\.$/m
    )
    assert.match(keyless.stdout.join("\n"), /^ok +rg +ripgrep/m)
    const bare = await alone(["doctor", "--output", "json"], { BELAY_HOME: folder(), PATH: folder() })
    const git = (json(bare.stdout).findings as ReadonlyArray<Finding>).find(({ name }) => name === "git")
    assert.deepInclude(git, { state: "warning", cure: "Install git." })
    const settings = folder()
    writeFileSync(path.join(settings, "settings.json"), "{ no JSON")
    const wrong = await doctor({ BELAY_HOME: settings })
    assert.include(wrong.by.get("settings")?.found, "settings.json")
    for (const { findings } of [broken, unreachable, wrong]) {
      for (const { cure, state } of findings) assert.strictEqual(cure !== undefined, state !== "ok")
    }
  })

  it("names a refused key and a model that is not there as what they are", async () => {
    const server = await ScriptedServer.startServer({ apiKey: "another-key", tasks: [] })
    afterAll(() => server.close())
    const { by, code } = await doctor({ ANTHROPIC_BASE_URL: server.url })
    assert.strictEqual(code, 1)
    assert.match(by.get("service")?.found ?? "", /key/)
  })
})

describe("how Belay was installed", () => {
  it.each([
    [
      "/usr/lib/node_modules/@belay/host-cli/dist/x.js",
      "with npm, for all folders",
      "npm install --global @belay/host-cli@latest"
    ],
    [
      "C:\\Users\\a\\AppData\\Roaming\\npm\\node_modules\\@belay\\host-cli\\dist\\x.js",
      "with npm, for all folders",
      "npm install --global"
    ],
    [
      "/users/a/.npm/_npx/12/node_modules/@belay/host-cli/dist/x.js",
      "for one run, by npx",
      "npx @belay/host-cli@latest"
    ],
    [
      "/users/a/.local/share/pnpm/global/5/node_modules/@belay/host-cli/dist/x.js",
      "with pnpm, for all folders",
      "pnpm add --global"
    ],
    [
      "/users/a/.bun/install/global/node_modules/@belay/host-cli/dist/x.js",
      "with bun, for all folders",
      "bun add --global"
    ],
    [
      "/code/app/node_modules/@belay/host-cli/dist/x.js",
      "with pnpm, for one folder",
      "cd /code/app && pnpm add --save-dev"
    ],
    ["/src/belay/apps/host-cli/dist/x.js", "from a checkout", "cd /src/belay && git pull && npm run build"]
  ])("is told by where it lies: %s", (file, how, command) => {
    const found = Installation.of(file, (lock) => lock === "/code/app/pnpm-lock.yaml")
    assert.strictEqual(found.how, how)
    assert.include(found.command, command)
  })

  it("is said by belay update, with what to type, and nothing is changed", async () => {
    const { code, stdout } = await belay(["update"], { BELAY_HOME: folder() })
    assert.strictEqual(code, 0)
    assert.match(
      stdout.join("\n"),
      /was installed from a checkout \(.+\)\. Update it with:\n\n {2}cd .+ && git pull && npm run build$/
    )
  })
})

it.each(["task", "mcp", "history", "config"])("belay %s shows its commands", async (group) => {
  const { code, stdout } = await belay([group], { BELAY_HOME: folder() })
  assert.strictEqual(code, 0)
  assert.match(stdout.join("\n"), new RegExp(`^ {2}${group} \\w+ +\\S`, "m"))
})
