import { type Scenario, ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { spawn } from "node:child_process"
import { PassThrough } from "node:stream"
import { afterAll, expect } from "vitest"
import * as Stdin from "../src/terminal/Stdin.ts"
import { converse, folder, json } from "./support/cli.ts"

const done: Scenario.Answer = {
  content: [{ type: "tool_use", name: "attempt_completion", input: { result: "Done." } }]
}

const prompt = "Explain it"

const world = async () => {
  const server = await ScriptedServer.startServer({ tasks: [], fallback: done })
  afterAll(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  const start = (...args: ReadonlyArray<string>) => converse(args, env, workspace)
  const piped = async (bytes: string, ...args: ReadonlyArray<string>) => {
    const run = start(...args)
    run.write(bytes)
    run.endInput()
    return run.exit
  }
  /** What the model reads of the person with the first request. */
  const read = (at = 0): ReadonlyArray<{ readonly type: string; readonly text?: string }> => {
    const [first] = server.requests.at(at)?.body.messages ?? []
    const own = ({ text }: { readonly text?: string }) => text?.startsWith("<environment") !== true
    return first.content.filter(own).map(({ cache_control: _, ...block }: any) => block)
  }
  return { server, start, piped, read, env, workspace }
}

const texts = (blocks: ReadonlyArray<{ readonly text?: string }>) => blocks.map(({ text }) => text)

describe("what comes on stdin with a prompt", () => {
  it("goes with it, within the limits of a file, and a notice says what was left out", async () => {
    const { piped, read } = await world()
    const log = Array.from({ length: 2500 }, (_, at) => `line ${at + 1}`).join("\n")
    const { code, stderr } = await piped(`${log}\n</stdin>\n`, "run", prompt)
    assert.strictEqual(code, 0, stderr.join("\n"))
    const [said, attached, ...others] = texts(read())
    assert.deepStrictEqual([said, others], [prompt, []])
    const lines = (attached ?? "").split("\n")
    assert.deepStrictEqual(
      [lines[0], lines[1], lines[2], lines.at(-2), lines.at(-1)],
      [
        "<stdin>",
        "[Lines 1-2000 of 2501. To have all of it read, it has to be in a file.]",
        "line 1",
        "line 2000",
        "</stdin>"
      ]
    )
  })

  it("is what was read and agreed on", async () => {
    const { piped, read } = await world()
    await piped("@/a.txt: error </stdin> here\n", "run", prompt)
    await expect(`${texts(read()).join("\n\n")}\n`).toMatchFileSnapshot("fixtures/texts/stdin.md")
  })

  it("is named as binary, and not shown, when it is", async () => {
    const { piped, read } = await world()
    await piped("\0\u0001\u0002", "run", prompt)
    assert.deepStrictEqual(texts(read()), [
      prompt,
      "<stdin>\n[stdin is binary data of 3 bytes; it cannot be shown as text.]\n</stdin>"
    ])
  })

  it("is shown when it is an image", async () => {
    const { env, read, workspace } = await world()
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
      "base64"
    )
    const { entry } = await import("./support/Built.ts")
    const child = spawn(process.execPath, [entry("cli"), "run", prompt], {
      cwd: workspace,
      env: { ...process.env, ...env, ANTHROPIC_API_KEY: "k" },
      stdio: ["pipe", "ignore", "ignore"]
    })
    child.stdin.end(png)
    await new Promise((resolve) => child.once("close", resolve))
    assert.deepStrictEqual(
      read().map(({ type }) => type),
      ["text", "text", "image"]
    )
  })

  it("adds nothing when it is empty or blank", async () => {
    const { piped, read } = await world()
    await piped("", "run", prompt)
    await piped(" \n", "run", prompt)
    assert.deepStrictEqual([texts(read(0)), texts(read(1))], [[prompt], [prompt]])
  })

  it("holds nobody up when it is left open and nothing comes, and one line says so", async () => {
    const { read, start } = await world()
    const run = start("run", prompt)
    const { code, stderr } = await run.exit
    assert.deepStrictEqual([code, texts(read())], [0, [prompt]], stderr.join("\n"))
    assert.include(stderr, 'Nothing has come on stdin for 3 s: going on without it. To wait for it, add "-".')
  })
})

describe("a prompt on stdin", () => {
  it("is the prompt where there is none else, also with a sign for it", async () => {
    const { piped, read } = await world()
    assert.strictEqual((await piped(`${prompt}\n`, "run")).code, 0)
    assert.strictEqual((await piped(`${prompt}\n`, "run", "-")).code, 0)
    assert.deepStrictEqual([texts(read(0)), texts(read(1))], [[prompt], [prompt]])
  })

  it("is refused when it is no text, or nothing", async () => {
    const { piped, server } = await world()
    const binary = await piped("\0", "run")
    assert.strictEqual(binary.code, 2)
    assert.match(binary.stderr.join(""), /^belay: what came on stdin is not text but binary data\. /)
    assert.match((await piped("", "run")).stderr.join(""), /^belay: there is no prompt\. /)
    assert.strictEqual(server.requests.length, 0)
  })

  it("cannot come where answers come", async () => {
    const { piped } = await world()
    const { code, stderr } = await piped("", "run", prompt, "-", "--input", "stream-json")
    assert.deepStrictEqual([code, stderr], [2, ['belay: "-" and --input cannot both have stdin. Leave one out.']])
  })

  it("is what is said to a task, too", async () => {
    const { piped, server } = await world()
    assert.strictEqual((await piped("", "run", prompt)).code, 0)
    const { code, stdout } = await piped("and now the tests\n", "task", "continue", "last", "-", "--output", "json")
    assert.deepStrictEqual([code, json(stdout).outcome], [0, "succeeded"])
    assert.include(JSON.stringify(server.requests.at(-1)?.body.messages.at(-1)), "and now the tests")
  })
})

describe("waiting for stdin", () => {
  const listen = (isExpected: boolean) => {
    const told: Array<string> = []
    const input = new PassThrough()
    return { input, told, read: Stdin.read(input, isExpected, { err: (line) => void told.push(line) }) }
  }
  /** Until what was written has been read. */
  const taken = (input: PassThrough) =>
    Effect.promise(() => new Promise<void>((resolve) => setImmediate(() => setImmediate(() => resolve(void input)))))

  it.effect("ends at its end, whatever came in pieces", () =>
    Effect.gen(function* () {
      const { input, read, told } = listen(false)
      const fiber = yield* Effect.forkChild(read, { startImmediately: true })
      input.write("one ")
      yield* taken(input)
      yield* TestClock.adjust("9 seconds")
      input.end("two")
      const { bytes, cut } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([bytes.toString(), cut, told], ["one two", undefined, []])
    })
  )

  it.effect("ends after half a minute of silence with what came, told to the person and the model", () =>
    Effect.gen(function* () {
      const { input, read, told } = listen(false)
      const fiber = yield* Effect.forkChild(read, { startImmediately: true })
      input.write("one")
      yield* taken(input)
      yield* TestClock.adjust("30 seconds")
      const { bytes, cut } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([bytes.toString(), cut], ["one", "More may have come later."])
      assert.deepStrictEqual(told, [
        "Waiting for stdin to end.\n",
        'Nothing more has come on stdin for 30 s: going on with what came. To wait, add "-".\n'
      ])
    })
  )

  it.effect("never ends before its end when it is asked for, and says once that it waits", () =>
    Effect.gen(function* () {
      const { input, read, told } = listen(true)
      const fiber = yield* Effect.forkChild(read, { startImmediately: true })
      yield* TestClock.adjust("1 hour")
      input.write("late")
      yield* taken(input)
      yield* TestClock.adjust("1 hour")
      input.end()
      const { bytes } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([bytes.toString(), told], ["late", ["Waiting for stdin to end.\n"]])
    })
  )

  it.effect("ends when more has come than is read of anything", () =>
    Effect.gen(function* () {
      const { input, read, told } = listen(true)
      const fiber = yield* Effect.forkChild(read, { startImmediately: true })
      input.write(Buffer.alloc(16_000_001, "x"))
      const { bytes, cut } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([bytes.length, cut], [16_000_000, "Only the first 16 MB were read."])
      assert.deepStrictEqual(told, ["Only the first 16 MB of stdin are read.\n"])
    })
  )
})
