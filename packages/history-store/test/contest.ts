/**
 * Many processes that want the same tasks of one history, while some of them are stopped, waked and killed.
 */
import { TaskHistory } from "@belay/history-store"
import { Invariant, type TaskId } from "@belay/task-state"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { run, type Running } from "./processes.ts"
import { whileMoving } from "./progress.ts"
import { commit, completed, eventsOf, lifecycle, resultsOf } from "./scenario.ts"

/** The owner and the attempt that a call was made for; `undefined` for the calls that delegate. */
const madeBy = (callId: string) => {
  const match = /^([0-9a-f]+)-(\d+)-\d+$/u.exec(callId)
  return match === null ? undefined : ([match[1] ?? "", Number(match[2])] as const)
}

export interface Said {
  readonly lines: ReadonlyArray<string>
  /** Owners that were killed. */
  readonly killed: ReadonlySet<string>
}

/** Runs processes against each other; gives everything they said, once all have ended well or by a kill. */
export const contend = (directory: string, processes: number, troubles: number, env: NodeJS.ProcessEnv = {}) => {
  const rivals: Array<Running> = []
  const moves = () => rivals.reduce((sum, rival) => sum + rival.lines(), 0)
  return whileMoving(contest(directory, processes, troubles, rivals, env), moves)
}

const contest = (
  directory: string,
  processes: number,
  troubles: number,
  rivals: Array<Running>,
  given: NodeJS.ProcessEnv
) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const killed = new Set<string>()
    let seed = processes
    const join = Effect.suspend(() =>
      // Every other one has its history in a worker thread, where it is in a file.
      run("contender", [directory, String(seed++)], {
        env: { ...process.env, ...given, ...(seed % 2 === 0 ? { BELAY_TEST_THREAD: "worker" } : {}) }
      })
    )
    for (let n = 0; n < processes; n++) rivals.push(yield* join)
    for (const rival of rivals) yield* rival.line("ready")
    for (let n = 0; n < troubles; n++) {
      yield* Effect.raceAll(rivals.map((rival) => rival.more(25)))
      const [victim, ...others] = [...rivals.slice(n % processes), ...rivals.slice(0, n % processes)]
      if (victim === undefined) break
      if (n % 3 === 2) {
        const { output } = yield* Effect.andThen(victim.kill, victim.ended)
        said.push(output)
        killed.add(/^owner (\w+)$/mu.exec(output)?.[1] ?? "")
        const heir = yield* join
        yield* heir.line("ready")
        rivals[n % processes] = heir
        continue
      }
      victim.child.kill("SIGSTOP")
      // One that was stopped inside a commit keeps all others waiting, so it is waked in any case.
      yield* Effect.timeoutOption(Effect.raceAll(others.map((other) => other.more(40))), "1 second")
      victim.child.kill("SIGCONT")
    }
    yield* Effect.forEach(rivals, (rival) => rival.more(25), { concurrency: "unbounded" })
    for (const rival of rivals) rival.child.stdin?.write("end\n")
    for (const rival of rivals) yield* rival.line("rests")
    for (const rival of rivals) rival.child.stdin?.write("leave\n")
    for (const rival of rivals) {
      const { code, output } = yield* rival.ended
      assert.strictEqual(code, 0, output.split("\n").slice(-5).join("\n"))
      said.push(output)
    }
    return { lines: said.flatMap((output) => output.split("\n")), killed } satisfies Said
  })

/** The journal of a task shows one runner at a time: attempts grow, and each call is made by who holds the task. */
const checkRunners = (id: string, killed: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const events = yield* eventsOf(id)
    assert.deepStrictEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1)
    )
    let runner = { owner: "", attempt: 0, status: "" }
    let taken = 0
    for (const event of events) {
      if (event.type === "task.status") {
        const { attempt, command, owner, to } = event
        assert.isAtLeast(attempt, runner.attempt, `${id}: attempt at ${event.seq}`)
        if (["Start", "Resume", "TakeOver"].includes(command)) {
          assert.strictEqual(attempt, runner.attempt + 1, `${id}: ${command} at ${event.seq}`)
          taken++
        } else if (to === "active") assert.strictEqual(owner, runner.owner, `${id}: ${command} at ${event.seq}`)
        runner = { owner: attempt > runner.attempt ? owner : runner.owner, attempt, status: to }
      }
      if (event.type === "repaired" && event.rule === "ownerGone")
        assert.isTrue(killed.has(runner.owner), `${id} was alive`)
      const made = event.type === "tool.requested" ? madeBy(event.callId) : undefined
      if (made !== undefined) assert.deepStrictEqual([...made, "active"], [runner.owner, runner.attempt, runner.status])
    }
    return taken
  })

const everything = Effect.flatMap(TaskHistory, (history) => history.list({ limit: 500 }))

/** What they said was stored is stored, once; and what they left holds together. */
export const check = ({ killed, lines }: Said) =>
  Effect.gen(function* () {
    const taken = yield* Effect.forEach((yield* everything).rows, ({ record }) => checkRunners(record.id, killed))
    yield* TaskHistory.use((history) => history.reconcile(new Set()))
    const { rows } = yield* everything
    const tasks = new Map(rows.map(({ record }) => [record.id, record]))
    assert.isTrue(rows.every((row) => row.lease === null))
    assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
    const results = new Map<string, string>()
    for (const { record } of rows) {
      for (const [callId, text] of yield* resultsOf(record.id)) {
        assert.isFalse(results.has(callId), `two results of ${callId}`)
        results.set(callId, text)
      }
    }
    const stored = lines.filter((line) => line.startsWith("stored ")).map((line) => line.split(" ")[2] ?? "")
    assert.strictEqual(new Set(stored).size, stored.length)
    for (const callId of stored) assert.strictEqual(results.get(callId), "first", callId)
    return {
      stored: stored.length,
      taken: taken.reduce((sum, n) => sum + n, 0),
      tasks: rows.length
    }
  })

const finish = (id: TaskId.TaskId): Effect.Effect<void, unknown, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    for (const { record } of yield* history.children(id)) {
      if (record.status !== "completed") yield* finish(record.id)
    }
    const { records } = yield* commit(lifecycle({ _tag: "Resume", taskId: id }))
    const attempt = records.get(id)?.attempt ?? 0
    yield* commit(completed(id, attempt))
  })

/** Nothing is stuck: every task can still be resumed and completed, children first. */
export const finishAll = (roots: ReadonlyArray<TaskId.TaskId>) =>
  Effect.gen(function* () {
    yield* Effect.forEach(roots, finish, { discard: true })
    const { rows } = yield* everything
    assert.isTrue(rows.every(({ record }) => record.status === "completed"))
  })
