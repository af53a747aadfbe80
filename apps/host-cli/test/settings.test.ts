/** Settings files: the user's count, a folder's only when trusted and only to narrow, and what is wrong is said. */
import * as Trust from "@belay/settings/trust"
import { type Processes, ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, typing, use } from "./support/asking.ts"
import { attended, belay, type Environment, folder, json } from "./support/cli.ts"

let server: ScriptedServer.ScriptedServer
beforeAll(async () => {
  server = await ScriptedServer.startServer({
    tasks: [
      { match: { prompt: "Finish" }, shared: true, answers: [completes("Done.")] },
      {
        match: { prompt: "Compose" },
        shared: true,
        answers: [use("write_to_file", { path: "one.txt", content: "1" }), completes("Done.")]
      }
    ]
  })
})
afterAll(() => server.close())

const home = (settings?: unknown): Environment & { readonly BELAY_HOME: string } => {
  const made = folder()
  if (settings !== undefined) writeFileSync(path.join(made, "settings.json"), JSON.stringify(settings))
  return { BELAY_HOME: made, ANTHROPIC_BASE_URL: server.url }
}

const project = (settings: unknown): string => {
  const made = folder()
  mkdirSync(path.join(made, ".belay"))
  writeFileSync(path.join(made, ".belay", "settings.json"), JSON.stringify(settings))
  return made
}

const models = () => server.requests.map(({ body }) => body.model)

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

describe("the user's settings", () => {
  it("are those of a new task, and a price makes its cost and a limit of money known", async () => {
    const settings = { model: { act: "priced" }, models: { priced: { price } }, budget: { maxCostUsd: 5 } }
    const env = home(settings)
    const ran = await belay(["run", "Finish", "--output", "json"], env, folder())
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    assert.strictEqual(models().at(-1), "priced")
    assert.isAbove(json(ran.stdout).usage.costUsd, 0)
    const limited = await belay(["run", "Finish", "--max-cost-usd", "0.0001"], env, folder())
    assert.strictEqual(limited.code, 3)
    const before = server.requests.length
    const unknown = await belay(["run", "Finish", "--model", "mine", "--max-cost-usd", "0.1"], env, folder())
    assert.deepStrictEqual([unknown.code, unknown.stderr.length], [2, 1])
    assert.match(
      unknown.stderr[0] ?? "",
      /^belay: the price of mine is not known, so \$0\.1 cannot limit its cost\. Set it: /
    )
    assert.strictEqual(server.requests.length, before)
    const other = await belay(["run", "Finish", "--model", "flagged"], home({ model: { act: "priced" } }), folder())
    assert.deepStrictEqual([other.code, models().at(-1)], [0, "flagged"])
  })

  it("allow what they say", async () => {
    const workspace = folder()
    const ran = await belay(["run", "Compose"], home({ approvals: { edit: "allow" } }), workspace)
    assert.strictEqual(ran.code, 0)
    assert.isTrue(existsSync(path.join(workspace, "one.txt")))
  })

  it("that cannot be used start nothing: one line names file, setting and value", async () => {
    const before = server.requests.length
    const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
      [{ budget: { maxCostUsd: "5" } }, /the setting budget\.maxCostUsd cannot be "5", .*settings\.json\)/],
      [{ approvals: { commands: { allow: "git *" } } }, /approvals\.commands\.allow cannot be "git \*"/],
      [{ aprovals: {} }, /the setting aprovals cannot be \{\}/],
      [{ model: { baseUrl: "https://user:pw@host" } }, /model\.baseUrl cannot be .*without a login/],
      ["x", /the settings cannot be used/]
    ]
    const all = await Promise.all(wrong.map(([settings]) => belay(["run", "Finish"], home(settings), folder())))
    for (const [index, { code, stderr }] of all.entries()) {
      assert.deepStrictEqual([code, stderr.length], [2, 1], stderr.join("\n"))
      assert.match(stderr[0] ?? "", wrong[index]?.[1] ?? /never/)
    }
    assert.strictEqual(server.requests.length, before)
  })

  it("name another server without any key of the environment going there", async () => {
    const before = server.requests.length
    const env = { ...home({ model: { baseUrl: server.url } }), ANTHROPIC_BASE_URL: undefined }
    const ran = await belay(["run", "Finish"], env, folder())
    assert.strictEqual(ran.code, 4)
    assert.match(ran.stderr[0] ?? "", /no key for 127\.0\.0\.1:\d+\. The key of the environment is not sent there/)
    assert.strictEqual(server.requests.length, before)
  })
})

describe("belay config", () => {
  it("sets, gets, lists and takes out, in a file that only its user can read", async () => {
    const env = { BELAY_HOME: folder() }
    const config = (...args: ReadonlyArray<string>) => belay(["config", ...args], env)
    assert.strictEqual((await config("set", "budget.maxCostUsd", "5")).code, 0)
    assert.strictEqual((await config("set", "model.act", "claude-4.5")).code, 0)
    await config("set", "approvals.commands.allow", '["npm test"]')
    await config("set", "models.claude-4.5.price", JSON.stringify(price))
    assert.deepStrictEqual((await config("get", "models.claude-4.5.price.output")).stdout, ["15"])
    assert.deepStrictEqual((await config("get", "approvals.commands.allow")).stdout, ['["npm test"]'])
    await config("set", "budget.maxCostUsd", "null")
    assert.deepStrictEqual(json((await config("list", "--output", "json")).stdout), {
      model: { act: "claude-4.5" },
      approvals: { commands: { allow: ["npm test"] } },
      models: { "claude-4.5": { price } }
    })
    assert.strictEqual((await config("get", "budget.maxCostUsd")).code, 2)
    assert.deepStrictEqual(readdirSync(env.BELAY_HOME), ["settings.json"])
    assert.strictEqual(statSync(path.join(env.BELAY_HOME, "settings.json")).mode & 0o077, 0)
  })

  it("writes nothing that is not valid, suggests the name that was meant, and goes through no link", async () => {
    const env = home({ model: { act: "kept" } })
    const file = path.join(env.BELAY_HOME, "settings.json")
    const before = readFileSync(file, "utf8")
    const set = (name: string, value: string) => belay(["config", "set", name, value], env)
    const tried = await Promise.all([
      set("budget.maxRequests", "-1"),
      set("sandbox", "maybe"),
      set("network.allowedDomains", '["*.example.com"]'),
      set("budget.maxCostUSD", "5"),
      set("models.__proto__.price", "1")
    ])
    for (const { code, stderr } of tried) assert.deepStrictEqual([code, stderr.length], [2, 1])
    assert.match(tried[3]?.stderr[0] ?? "", /Did you mean budget\.maxCostUsd\?/)
    assert.strictEqual(readFileSync(file, "utf8"), before)
    const elsewhere = path.join(folder(), "settings.json")
    writeFileSync(elsewhere, "{}")
    rmSync(file)
    symlinkSync(elsewhere, file)
    assert.strictEqual((await set("model.act", "x")).code, 2)
    assert.strictEqual(readFileSync(elsewhere, "utf8"), "{}")
  })
})

describe("a folder's settings", () => {
  const narrowing = { approvals: { edit: "deny" }, model: { act: "of-the-folder" } }

  it("do not count where nobody can be asked, even when they are nonsense, and one line says so", async () => {
    const env = home({ approvals: { edit: "allow" }, model: { act: "mine" } })
    for (const settings of [narrowing, { approvals: "all", nonsense: 1 }]) {
      const ran = await belay(["run", "Finish"], env, project(settings))
      assert.deepStrictEqual([ran.code, models().at(-1)], [0, "mine"])
      assert.include(
        ran.stderr,
        "Restricted: this folder is not trusted. Its settings are ignored. To see and trust them: belay trust"
      )
    }
    assert.isFalse(existsSync(path.join(env.BELAY_HOME, "trust.json")))
  })

  it("count without a terminal once they are trusted by a command, which shows them, until they change", async () => {
    const env = home({ model: { act: "mine" } })
    const workspace = project(narrowing)
    const shown = await belay(["trust"], env, workspace)
    assert.deepStrictEqual([shown.code, shown.stderr.length], [2, 1])
    assert.include(shown.stdout.join("\n"), "of-the-folder")
    assert.match(shown.stderr[0] ?? "", /then: belay trust --yes$/)
    assert.isFalse(existsSync(path.join(env.BELAY_HOME, "trust.json")))
    const model = async () => {
      assert.strictEqual((await belay(["run", "Finish"], env, workspace)).code, 0)
      return models().at(-1)
    }
    assert.strictEqual((await belay(["trust", "--yes"], env, workspace)).code, 0)
    assert.strictEqual(await model(), "of-the-folder")
    assert.strictEqual((await belay(["trust", "--remove"], env, workspace)).code, 0)
    assert.strictEqual(await model(), "mine")
    const onward = await belay(["task", "continue", "last", "Finish"], env, workspace)
    assert.include(onward.stderr.join("\n"), "Restricted: this folder is not trusted.")
  })

  it("are asked about once for each content, count then, also without a terminal, and are asked about again when changed", async () => {
    const env = home({ model: { act: "mine" } })
    const workspace = project(narrowing)
    const first = attended(["run", "Finish"], env, workspace)
    await first.waitForLine((line) => line.includes("1 Trust this content"), "stderr")
    await answered(first, "1")
    assert.strictEqual(models().at(-1), "of-the-folder")
    const second = await belay(["run", "Finish"], env, workspace)
    assert.deepStrictEqual([second.code, models().at(-1)], [0, "of-the-folder"])
    writeFileSync(path.join(workspace, ".belay", "hook.sh"), "echo")
    await belay(["run", "Finish"], env, workspace)
    assert.strictEqual(models().at(-1), "mine")
    const third = attended(["run", "Finish"], env, workspace)
    await third.waitForLine((line) => line.includes("1 Trust this content"), "stderr")
    await answered(third, "2")
    assert.strictEqual(models().at(-1), "mine")
    const fourth = attended(["run", "Finish"], env, workspace)
    fourth.endInput()
    assert.notInclude((await fourth.exit).stderr.join("\n"), "1 Trust this content")
  })

  it("never widen what may run, whatever they say", async () => {
    const wide: ReadonlyArray<unknown> = [
      { model: { baseUrl: "http://evil.example" } },
      { sandbox: "off" },
      { strictPlanMode: false },
      { network: { allowedDomains: ["evil.example"] } },
      { models: { mine: { price } } }
    ]
    for (const settings of wide) {
      const env = home({ model: { act: "mine" } })
      const workspace = project(settings)
      await trust(env, workspace)
      const ran = await belay(["run", "Finish"], env, workspace)
      assert.strictEqual(ran.code, 2, JSON.stringify(settings))
      assert.match(ran.stderr[0] ?? "", /a project may not set/)
    }
    const env = home({ approvals: { edit: "ask" }, budget: { maxRequests: 1 } })
    const workspace = project({ approvals: "all", budget: { maxRequests: 100 } })
    await trust(env, workspace)
    const ran = await belay(["run", "Compose"], env, workspace)
    assert.strictEqual(ran.code, 3)
    assert.isFalse(existsSync(path.join(workspace, "one.txt")))
  })

  it("behind a link are never trusted", async () => {
    const env = home({ model: { act: "mine" } })
    const workspace = folder()
    symlinkSync(path.join(project(narrowing), ".belay"), path.join(workspace, ".belay"))
    const run = attended(["run", "Finish"], env, workspace)
    run.endInput()
    const ended = await run.exit
    assert.include(ended.stderr.join("\n"), "Restricted: .belay is not a folder")
    assert.strictEqual(models().at(-1), "mine")
  })
})

const answered = async (run: Processes.NodeProcess, choice: string) =>
  assert.strictEqual((await typing(run, choice)).code, 0)

const trust = async (env: Environment, workspace: string) => {
  const content = Trust.content(workspace)
  if (content._tag !== "Whole") return assert.fail(content._tag)
  await Effect.runPromise(Trust.say(env["BELAY_HOME"] ?? "", workspace, content, true))
}
