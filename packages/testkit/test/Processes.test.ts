import { Processes } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const folder = path.resolve(import.meta.dirname, "..")
const evaluate = (code: string) => Processes.spawn(["-e", code])

describe("a process", () => {
  it.effect("gives its code and every line of its output", () =>
    Effect.gen(function* () {
      const running = yield* evaluate(
        "for (let i = 0; i < 3; i++) console.log(i); console.error('e'); process.exitCode = 3"
      )
      assert.deepStrictEqual(yield* Effect.promise(() => running.exit), {
        code: 3,
        signal: null,
        stdout: ["0", "1", "2"],
        stderr: ["e"]
      })
    })
  )

  it.effect("is killed once it said what was waited for", () =>
    Effect.gen(function* () {
      const running = yield* evaluate("console.log('one'); console.log('ready 7'); setInterval(() => {}, 1000)")
      assert.strictEqual(yield* Effect.promise(() => running.waitForLine("ready")), "ready 7")
      assert.strictEqual(yield* Effect.promise(() => running.waitForLine((line) => line === "one")), "one")
      const exit = yield* Effect.promise(() => running.kill())
      assert.deepStrictEqual([exit.code, exit.signal], [null, "SIGKILL"])
    })
  )

  it.effect("that ends without the line says what it said last", () =>
    Effect.gen(function* () {
      const running = yield* evaluate("console.error('no luck')")
      const said = yield* Effect.promise(() => running.waitForLine("never").catch((error: Error) => error.message))
      assert.include(said, "no luck")
    })
  )

  it.effect("reads what it is sent", () =>
    Effect.gen(function* () {
      const running = yield* evaluate("process.stdin.on('data', (d) => console.log('got ' + d))")
      running.write("x")
      assert.strictEqual(yield* Effect.promise(() => running.waitForLine("got")), "got x")
      running.endInput()
      assert.strictEqual((yield* Effect.promise(() => running.exit)).code, 0)
    })
  )

  it.effect("of a scope ends with it", () =>
    Effect.gen(function* () {
      const running = yield* Effect.scoped(evaluate("setInterval(() => {}, 1000)"))
      assert.strictEqual((yield* Effect.promise(() => running.exit)).signal, "SIGKILL")
    })
  )
})

describe("the server process", () => {
  const start = (scenario: string) => {
    const file = path.join(folder, ".cache", `scenario-${process.pid}.json`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, scenario)
    return Processes.spawn(["--conditions=@belay/source", path.join(folder, "src/server-process.ts"), file])
  }

  it.effect("prints its address, serves, and shows what it received", () =>
    Effect.gen(function* () {
      const answers = [{ content: [{ type: "text", text: "hi" }], hold: "gate" }]
      const running = yield* start(JSON.stringify({ tasks: [{ match: {}, answers }] }))
      const { url } = JSON.parse(yield* Effect.promise(() => running.waitForLine("url")))
      const text = yield* Effect.promise(() =>
        fetch(`${url}/v1/messages`, { method: "POST", body: '{"stream":true,"messages":[]}' }).then((response) =>
          fetch(`${url}/__release/gate`, { method: "POST" }).then(() => response.text())
        )
      )
      assert.include(text, "message_stop")
      const recorded: ReadonlyArray<any> = yield* Effect.promise(() =>
        fetch(`${url}/__requests`).then((response) => response.json() as Promise<ReadonlyArray<any>>)
      )
      assert.deepStrictEqual(
        recorded.map((one) => [one.path, one.raw]),
        [["/v1/messages", '{"stream":true,"messages":[]}']]
      )
    })
  )

  it.effect("ends with one line about a scenario that is not valid", () =>
    Effect.gen(function* () {
      const running = yield* start('{"tasks":3}')
      const exit = yield* Effect.promise(() => running.exit)
      assert.deepStrictEqual([exit.code, exit.stdout.length, exit.stderr.length], [1, 0, 1])
      assert.include(exit.stderr[0], "The scenario is not valid")
    })
  )
})
