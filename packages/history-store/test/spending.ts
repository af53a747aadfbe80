/** Many processes that spend from one limit, ten calls of each at once, while some of them are killed. */
import { type Reservation, TaskHistory } from "@belay/history-store"
import { Usage } from "@belay/message-state"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { run, type Running } from "./processes.ts"
import { commit, delegated, id, lifecycle, started } from "./scenario.ts"

/** What each call may take, and what it takes. */
export const most = { inputTokens: 80, outputTokens: 20, costUsd: 0.5 }
export const took = { usage: { ...Usage.none, inputTokens: 60, outputTokens: 10 }, costUsd: 0.25 }

export const noLimits: Reservation.Limits = { maxRequests: null, maxTokens: null, maxCostUsd: null }

/** Calls of one process that are made at once. */
const width = 10

const namesOf = (processes: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: processes }, (_, at) => Array.from({ length: width }, (_unused, n) => `s${at}-${n}`))

/** Runs them until each is refused; says the calls that were made, and how the others were refused. */
export const spend = (
  directory: string,
  processes: number,
  kills: number,
  limits: Reservation.Limits,
  given: NodeJS.ProcessEnv = {}
) =>
  Effect.gen(function* () {
    const names = namesOf(processes)
    const begin = (at: number) =>
      Effect.gen(function* () {
        const thread = at % 2 === 0 ? {} : { BELAY_TEST_THREAD: "worker" }
        const args = [directory, (names[at] ?? []).join(), JSON.stringify(limits)]
        const begun = yield* run("spender", args, { env: { ...process.env, ...thread, ...given } })
        yield* begun.line("ready")
        return begun
      })
    const spenders: Array<Running> = []
    for (const at of names.keys()) spenders.push(yield* begin(at))
    for (const spender of spenders) spender.child.stdin?.write("go\n")
    const said: Array<string> = []
    for (let n = 0; n < kills; n++) {
      const at = n % processes
      const victim = spenders[at]
      if (victim === undefined) break
      yield* victim.more(3 + n)
      yield* victim.kill
      said.push((yield* victim.ended).output)
      const heir = yield* begin(at)
      heir.child.stdin?.write("go\n")
      spenders[at] = heir
    }
    for (const spender of spenders) {
      const { code, output } = yield* spender.ended
      assert.strictEqual(code, 0, output.split("\n").slice(-5).join("\n"))
      said.push(output)
    }
    const lines = said.flatMap((output) => output.split("\n"))
    const begins = (word: string) => lines.filter((line) => line.startsWith(word))
    return { calls: begins("call "), refused: begins("refused ") }
  }).pipe(Effect.scoped)

/** A root with a subtask for each process, which waits for those that make the calls. Each delegation was a request. */
export const tree = (processes: number) => {
  const names = namesOf(processes).map((below, at) => [`b${at}`, below] as const)
  return commit(
    started("p"),
    delegated(
      "p",
      1,
      names.map(([name]) => name)
    ),
    ...names.flatMap(([name, below]) => [lifecycle({ _tag: "Start", taskId: id(name) }), ...delegated(name, 1, below)])
  )
}

/** What the tree has used when nobody runs anything of it any more; what the dead had reserved counts. */
export const used = Effect.gen(function* () {
  const history = yield* TaskHistory
  yield* history.reconcile(new Set())
  return yield* history.treeUsage(id("p"))
})
