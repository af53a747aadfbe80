import * as Services from "@belay/model-client/services"
import { ScriptedServer } from "@belay/testkit"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, beforeEach, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import * as Scripts from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

/** As a server notes a key. */
const noted = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex").slice(0, 8)}`

const keysOf = ({ requests }: ScriptedServer.ScriptedServer) => requests.map(({ headers }) => headers["x-api-key"])

describe("plan and act with different services", () => {
  let vs: InProcess.InProcess
  let planner: ScriptedServer.ScriptedServer
  const secrets = new Map<string, string>()

  beforeAll(async () => {
    const plan = Scripts.use("plan_mode_respond", { response: "First this." })
    planner = await ScriptedServer.startServer({
      apiKey: "plan-key",
      tasks: [{ ...Scripts.task("Work", plan), shared: true }]
    })
    vs = await InProcess.open({
      settings: { "belay.model.planBaseUrl": planner.url },
      tasks: [Scripts.task("Work", Scripts.completes("Worked"), Scripts.completes("Worked"))]
    })
    secrets.set(`key:${new URL(vs.model.url).host}`, "test-key")
    Object.assign(vs.context.secrets, {
      get: async (name: string) => secrets.get(name),
      store: async (name: string, key: string) => void secrets.set(name, key)
    })
  })
  afterAll(async () => {
    await vs.close()
    await planner.close()
  })

  it("a missing key is one line that names the mode, and nothing starts", async () => {
    await vs.context.workspaceState.update("firstMode", "plan")
    assert.isUndefined(await vs.run("belay.newTask", "Work"))
    const { host } = new URL(planner.url)
    assert.include(vs.editor.told.at(-1)?.line, `There is no key for plan mode (${host}).`)
    assert.deepEqual([keysOf(planner), keysOf(vs.model)], [[], []])
  })

  it("Set key asks for which of them, and each mode goes to its own server with its own key", async () => {
    const { host } = new URL(planner.url)
    vs.editor.answers.push(`plan mode (${host})`, "not-a-key")
    await vs.run("belay.setKey")
    const refused = vs.editor.told.at(-1)
    assert.match(
      String(refused?.line),
      new RegExp(`^Plan mode \\(${host}\\) refuses this key: the service refused the key \\(401`, "u")
    )
    assert.deepEqual(refused?.actions, ["Set another key"])
    vs.editor.answers.push(`plan mode (${host})`, "plan-key")
    await vs.run("belay.setKey")
    assert.equal(vs.editor.told.at(-1)?.line, `The key for plan mode (${host}) works.`)
    assert.strictEqual(secrets.get(`key:plan@${host}`), "plan-key")
    await vs.run("belay.newTask", "Work")
    await vs.row("Work", "Needs you")
    const tried = ["not-a-key", "plan-key", "plan-key"].map(noted)
    assert.deepEqual([keysOf(planner), keysOf(vs.model)], [tried, []])
  })
})

describe("services that the environment names, or that have a name", () => {
  let vs: InProcess.InProcess
  let planner: ScriptedServer.ScriptedServer

  beforeAll(async () => {
    const plan = Scripts.use("plan_mode_respond", { response: "First this." })
    planner = await ScriptedServer.startServer({ tasks: [{ ...Scripts.task("Work", plan, plan, plan), shared: true }] })
    vs = await InProcess.open({ tasks: [] })
  })
  // It holds for one task.
  beforeEach(() => vs.context.workspaceState.update("firstMode", "plan"))
  afterAll(async () => {
    vi.unstubAllEnvs()
    await vs.close()
    await planner.close()
  })

  it("what was thought is kept under where requests go, also where the environment says that", async () => {
    const url = vs.editor.settings.get("belay.model.baseUrl")
    vs.editor.settings.delete("belay.model.baseUrl")
    vi.stubEnv("ANTHROPIC_BASE_URL", planner.url)
    vi.stubEnv("ANTHROPIC_API_KEY", "plan-key-of-env")
    await vs.run("belay.newTask", "Work by the environment")
    await vs.row("Work by the environment", "Needs you")
    const { requests } = planner
    assert.deepEqual(keysOf(planner), [noted("plan-key-of-env")])
    assert.include(JSON.stringify(requests.at(-1)?.body.messages), "Work by the environment")
    const files = readdirSync(vs.home, { withFileTypes: true }).filter((entry) => entry.isFile())
    const kept = files.map(({ name }) => readFileSync(path.join(vs.home, name), "latin1")).join("")
    assert.include(kept, JSON.stringify({ service: new URL(planner.url).host }).slice(1, -1))
    vi.unstubAllEnvs()
    vs.editor.settings.set("belay.model.baseUrl", url)
  })

  it("BELAY_PLAN_BASE_URL and its key are those of plan mode, and that key goes nowhere else", async () => {
    vi.stubEnv("BELAY_PLAN_BASE_URL", planner.url)
    vi.stubEnv("BELAY_PLAN_API_KEY", "plan-key-of-env")
    await vs.run("belay.newTask", "Work")
    await vs.row("Work", "Needs you")
    assert.deepEqual([keysOf(planner).slice(1), keysOf(vs.model)], [[noted("plan-key-of-env")], []])
    vi.unstubAllEnvs()
  })

  it("a service of one's own needs no key, where the settings say that it is", async () => {
    vs.editor.settings.set("belay.model.planService", "ollama")
    vs.editor.settings.set("belay.model.planBaseUrl", planner.url)
    await vs.run("belay.newTask", "Work once more")
    await vs.row("Work once more", "Needs you")
    assert.deepEqual(keysOf(planner).at(-1), undefined)
    assert.isUndefined(planner.requests.at(-1)?.headers["authorization"])
  })

  it("those that the manifest offers are those that there are", () => {
    const { properties } = vs.editor.manifest.contributes.configuration
    for (const name of ["service", "planService", "actService"]) {
      assert.deepEqual(properties[`belay.model.${name}`]?.["enum"], ["", ...Services.names], name)
    }
  })
})
