import { McpTools, TaskServers } from "@belay/tool-executor/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { vi } from "vitest"
import { world } from "./support.ts"
import { tool, approvals, withServer, taskId, args, say, told } from "./serving.ts"

const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Lets the event loop turn until it is so. */
const turns = (isSo: () => boolean) =>
  Effect.callback<void>((resume) => {
    const turn = () => (isSo() ? resume(Effect.void) : setImmediate(turn))
    turn()
  })

describe("a server that is a process", () => {
  it.effect("is started again after it died, and the call that it died in is never sent again", () =>
    Effect.gen(function* () {
      const here = yield* withServer({ tools: [tool("say")], answers: { say: "dies" } })
      assert.match(
        yield* say(here),
        /^error: The server exited with 1 while 'say' ran\. It is not known whether it took effect\./
      )
      here.become({ tools: [tool("say")] })
      assert.include(yield* say(here), '{"text":"x"}')
    }).pipe(Effect.scoped)
  )

  it.live("that does not answer within its limit is named, with the last lines that it said", () =>
    Effect.gen(function* () {
      const here = yield* world()
      const args = ["-c", "for n in 1 2 3 4 5 6; do echo waiting $n >&2; done; exec sleep 300"]
      here.define({ own: { command: "sh", args, timeoutSeconds: 2 } })
      assert.match(
        yield* say(here),
        /^error: Not run: The server 'own' did not answer within 2 s\. It said: waiting 2; waiting 3; waiting 4; waiting 5; waiting 6\./
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is no program of the project that PATH leads to", () =>
    Effect.gen(function* () {
      const bin = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "belay-own-")))
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(bin, { recursive: true, force: true })))
      const here = yield* world({
        environment: { ...process.env, PATH: `${bin}${path.delimiter}${process.env["PATH"]}` }
      })
      fs.writeFileSync(path.join(here.workspace, "own-server"), "#!/bin/sh\necho ran > ran\n", { mode: 0o755 })
      fs.rmSync(bin, { recursive: true })
      fs.symlinkSync(here.workspace, bin)
      here.define({ own: { command: "own-server" } })
      assert.match(yield* say(here), /^error: Not run: .*own-server/)
      assert.isFalse(fs.existsSync(path.join(here.workspace, "ran")))
    }).pipe(Effect.scoped)
  )

  it.effect("that does not start is said with its last words, and tried again when it is called", () =>
    Effect.gen(function* () {
      const here = yield* withServer({ startup: "dies", tools: [tool("say")] })
      assert.match(yield* say(here), /^error: Not run: The server exited with 3\. It said: cannot find its licence\./)
      const [server] = (yield* here.servers.list(here.workspace)).servers
      assert.strictEqual(server?.state._tag, "Failed")
      const [dying, go] = [path.join(here.home, "dying"), path.join(here.home, "go")]
      here.become({ startup: "dies before its last words", dying, go, tools: [tool("say")] })
      const saying = yield* Effect.forkChild(say(here))
      yield* turns(() => fs.existsSync(dying) && !isAlive(Number(fs.readFileSync(dying, "utf8"))))
      let seen = 0
      yield* turns(() => seen++ === 5)
      fs.writeFileSync(go, "")
      assert.match(
        yield* Fiber.join(saying),
        /^error: Not run: The server exited with 3\. It said: cannot find its licence\./
      )
      here.become({ tools: [tool("say")] })
      assert.include(yield* say(here), "x")
      here.define({ own: { command: path.join(here.home, "nothing") } })
      assert.match(yield* say(here), /could not be started: .*ENOENT/)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is missing where it is not defined, is switched off or could not be started, and not before it was tried",
    () =>
      Effect.gen(function* () {
        const here = yield* withServer()
        const missing = McpTools.missing(TaskServers.same(here.servers))(here.workspace, ["own", "other"], taskId)
        assert.deepStrictEqual(yield* missing, ["other"])
        assert.include(yield* say(here), "x")
        assert.deepStrictEqual(yield* missing, ["other"])
        here.define({
          own: { ...here.definition, disabled: true },
          other: { command: path.join(here.home, "nothing") }
        })
        assert.deepStrictEqual(yield* missing, ["own"])
        yield* told(here)
        assert.deepStrictEqual(yield* missing, ["own", "other"])
      }).pipe(Effect.scoped)
  )

  it.effect("gets the scrubbed environment and what its definition says, and those values are secrets", () =>
    Effect.gen(function* () {
      const environment = {
        ...process.env,
        ANTHROPIC_API_KEY: "sk-canary",
        NODE_OPTIONS: "--require=./x.cjs",
        TOKEN: "t0ken-value",
        JAVA_HOME: "/opt/java",
        BLOCKED: "no"
      }
      const rules = { pass: [], block: ["BLOCKED"] }
      const here = yield* withServer({ tools: [tool("say")], answers: { say: "environment" } }, { environment, rules })
      here.define({ own: { ...here.definition, env: { KEY: "Bearer ${env:TOKEN}" } } })
      const seen = JSON.parse(yield* say(here))
      assert.strictEqual(seen.KEY, "Bearer t0ken-value")
      assert.strictEqual(seen.JAVA_HOME, "/opt/java")
      for (const name of ["ANTHROPIC_API_KEY", "NODE_OPTIONS", "TOKEN", "BLOCKED"]) assert.isUndefined(seen[name])
      assert.includeMembers([...here.secrets], ["Bearer t0ken-value", "t0ken-value"])
      here.define({ own: { ...here.definition, env: { KEY: "${env:NOT_SET}" } } })
      assert.include(yield* say(here), "needs NOT_SET, which the environment does not have")
    }).pipe(Effect.scoped)
  )

  it.effect("ends with everything that it started when its host does", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const here = yield* withServer().pipe(Scope.provide(scope))
      const pids = path.join(here.home, "pids")
      here.become({ tools: [tool("say")], child: pids })
      yield* say(here)
      const [server = 0, child = 0] = fs.readFileSync(pids, "utf8").split(" ").map(Number)
      assert.isTrue(isAlive(server) && isAlive(child))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isAlive(server) || isAlive(child))
    }).pipe(Effect.scoped)
  )

  it.effect("that says more than 16 MB in one message is ended, and a long answer loses its middle", () =>
    Effect.gen(function* () {
      const here = yield* withServer({ tools: [tool("say")], answers: { say: "floods" } })
      assert.match(yield* say(here), /^error: The server said more than 16 MB in one message while/)
      here.become({ tools: [tool("say")], answers: { say: { text: `first${"y".repeat(200_000)}last` } } })
      const text = yield* say(here)
      assert.isBelow(text.length, 48_100)
      assert.match(text, /^first/)
      assert.match(text, /characters left out[^]*last$/)
    }).pipe(Effect.scoped)
  )

  it.effect("has a time limit for a call, which each word of progress begins anew", () =>
    Effect.gen(function* () {
      const here = yield* withServer({ tools: [tool("say")], answers: { say: "steps" } })
      yield* told(here)
      const { connection } = yield* here.servers.ready(here.workspace, "own").pipe(Effect.orDie)
      const steps = yield* Queue.unbounded<string>()
      const progress = (chunk: string) => Effect.asVoid(Queue.offer(steps, chunk))
      const call = here.call("use_mcp_tool", args("say"), { approvals, progress })
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers())
      )
      const long = yield* Effect.forkChild(call)
      yield* Queue.take(steps)
      for (let step = 0; step < 3; step++) {
        vi.advanceTimersByTime(119_000)
        yield* connection.read("own:step")
        yield* Queue.take(steps)
      }
      vi.advanceTimersByTime(119_000)
      yield* connection.read("own:end")
      assert.include(yield* Fiber.join(long), "ended")
      const slow = yield* Effect.forkChild(call)
      yield* Queue.take(steps)
      vi.advanceTimersByTime(120_000)
      assert.match(yield* Fiber.join(slow), /^error: .*did not answer within 120 s.*not known whether it took effect/)
      yield* connection.read("own:step")
    }).pipe(Effect.scoped)
  )

  it.effect("is told when a call is interrupted", () =>
    Effect.gen(function* () {
      const here = yield* withServer()
      const [called, cancelled] = [path.join(here.home, "called"), path.join(here.home, "cancelled")]
      here.become({ tools: [tool("say")], answers: { say: "hangs" }, called, cancelled })
      yield* told(here)
      const call = yield* Effect.forkChild(say(here), { startImmediately: true })
      const { connection } = yield* here.servers.ready(here.workspace, "own").pipe(Effect.orDie)
      // The server answers something else until it has had what it is told.
      const until = (file: string) =>
        Effect.repeat(Effect.flip(connection.read("x:/")), { until: () => fs.existsSync(file) })
      yield* until(called)
      yield* Fiber.interrupt(call)
      yield* until(cancelled)
    }).pipe(Effect.scoped)
  )
})
