/** The interface by lines: for screen readers, and for terminals that only print. */
import { existsSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { open, type Opened, says } from "../support/Interactive.ts"

const opened = (answers: Parameters<typeof open>[0], args: ReadonlyArray<string> = ["--screen-reader"]) =>
  open(answers, { args, isComposed: false })

// oxlint-disable-next-line no-control-regex
const steers = /\u001B|\r(?!\n)/u

/** Nothing of it steers the terminal, but what the terminal echoes. */
const holdLines = ({ screen }: Opened): void => assert.notMatch(screen.written(), steers)

describe("the interface for screen readers", () => {
  it("goes the whole way by lines: a task, a yes after a number, a no with words, a stop, and on", async () => {
    const runs = (name: string) => use("execute_command", { command: `touch ${name}` }, name)
    const one = await opened([runs("one.txt"), runs("two.txt"), { ...says("It goes on."), hold: "rest", holdAt: 3 }])
    const { cwd, screen, server } = one
    await screen.seen("Screen reader mode, by --screen-reader.")
    screen.type("Work\n")
    await screen.seen(/You:\n› Work/)
    await screen.seen(/Needs you: Run touch one\.txt, in "Work"[^]*1: Allow once\n[^]*Answer with a number\./)
    screen.type("1\n")
    await screen.seen("Allow once: Run touch one.txt. Type y to do it.")
    assert.isFalse(existsSync(path.join(cwd, "one.txt")))
    screen.type("y\n")
    await screen.seen(/Needs you: Run touch two\.txt/)
    assert.isTrue(existsSync(path.join(cwd, "one.txt")))
    screen.type("5\n")
    await screen.seen("Why not?")
    screen.type("Not that one\n")
    await server.waitForRequests(3)
    assert.include(JSON.stringify(server.requests.at(-1)?.body), "Not that one")
    assert.isFalse(existsSync(path.join(cwd, "two.txt")))
    screen.type("\u0003")
    await screen.seen("Stopping.")
    await screen.seen("Interrupted: you stopped it.")
    server.release("rest")
    screen.type("\n")
    await screen.seen(/Assistant:\n {2}It goes on\./)
    screen.type("/quit\n")
    assert.strictEqual(await screen.exit, 0)
    holdLines(one)
  })

  it("counts no time, and a number that is no answer is said", async () => {
    const one = await opened([says("Ready."), says("Twelve.")])
    one.screen.type("Work\n")
    await one.screen.seen(/Assistant:\n {2}Ready\./)
    one.screen.type("12\n")
    const text = await one.screen.seen(/You:\n› 12[^]*Assistant:\n {2}Twelve\./)
    assert.notMatch(text, /· \d+s/)
    one.screen.kill()
    holdLines(one)
  })

  it("chooses from a list by number, and takes several lines as one text", async () => {
    const one = await opened([says("Ready."), says("Both lines.")])
    one.screen.type("Work \\\non both\n")
    await one.screen.seen(/You:\n› Work\s*\n {2}on both/)
    one.screen.type("/tasks\n")
    await one.screen.seen(/1: . Work[^]*Open: a number, words to filter/)
    one.screen.type("1\n")
    await one.screen.seen(/── Work/)
    one.screen.kill()
    holdLines(one)
  })

  it("is there without its labels in a terminal that only prints", async () => {
    const one = await open([says("Ready.")], { env: { TERM: "dumb" }, isComposed: false })
    await one.screen.seen("Lines alone, by TERM=dumb.")
    one.screen.type("Work\n")
    const text = await one.screen.seen(/^ {2}Ready\.$/m)
    assert.notInclude(text, "Assistant:")
    one.screen.kill()
    holdLines(one)
  })
})
