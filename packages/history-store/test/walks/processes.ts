/** A history whose owners are processes that take turns; every other one has its database in a thread. */
import { type Step } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { ManagedRuntime } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileOf } from "../programs.ts"
import { type Host, heardIn, lookIn, type Said } from "./hosts.ts"
import { layerReader } from "../history.ts"

export type Told =
  /** `statement`: it dies before that one, or when it is done. */
  | { readonly _tag: "Commit"; readonly steps: ReadonlyArray<Step.Step>; readonly statement?: number }
  | { readonly _tag: "Reconcile"; readonly runners: ReadonlyArray<TaskId.TaskId> }

interface Walker {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  readonly me: string
}

/** Who a process is, or what came of what it was told: nothing, or why it was not done. */
interface Answer {
  readonly me?: string
  readonly said?: string | null
}

/** The next message of a process; fails when it ends before. */
const heard = (child: ChildProcess, ended: Promise<void>): Promise<Answer> => {
  const gate = Promise.withResolvers<Answer>()
  const hear = (message: Answer) => gate.resolve(message)
  child.once("message", hear)
  void ended.then(() => gate.reject(new Error("the process ended without an answer")))
  return gate.promise.finally(() => child.off("message", hear))
}

const begin = async (directory: string, isThread: boolean): Promise<Walker> => {
  const env = isThread ? { BELAY_TEST_THREAD: "worker" } : {}
  const stdio = ["ignore", "ignore", "inherit", "ipc"] as const
  const child = fork(fileOf("walker"), [directory], {
    execArgv: [],
    env: { ...process.env, ...env },
    stdio: [...stdio]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const { me } = await heard(child, ended)
  return { child, ended, me: me ?? "" }
}

const kill = async ({ child, ended }: Walker): Promise<void> => {
  child.kill("SIGKILL")
  await ended
}

export const processes = async (directory: string, owners: ReadonlyArray<string>): Promise<Host> => {
  const names = new Map<string, string>()
  const join = async (slot: number, owner: string): Promise<Walker> => {
    const walker = await begin(directory, slot % 2 === 1)
    names.set(walker.me, owner)
    return walker
  }
  const slots: Array<Walker> = []
  for (const [slot, owner] of owners.entries()) slots.push(await join(slot, owner))
  const reader = ManagedRuntime.make(layerReader({ directory, kind: "walk" }))
  const at = (slot: number): Walker => {
    const walker = slots[slot]
    if (walker === undefined) throw new Error(`no owner at ${slot}`)
    return walker
  }
  const tell = async (slot: number, told: Told): Promise<Said> => {
    const { child, ended } = at(slot)
    const answer = heard(child, ended)
    child.send(told)
    const { said } = await answer
    return said ?? undefined
  }
  const replace = async (slot: number, owner: string) => {
    slots[slot] = await join(slot, owner)
  }
  return {
    name: "processes",
    commit: (slot, steps) => tell(slot, { _tag: "Commit", steps }),
    reconcile: (slot, runners) => tell(slot, { _tag: "Reconcile", runners: [...runners] }),
    die: async (slot, owner) => {
      await kill(at(slot))
      await replace(slot, owner)
    },
    commitAndDie: async (slot, steps, statement, owner) => {
      const walker = at(slot)
      walker.child.send({ _tag: "Commit", steps, statement } satisfies Told)
      await walker.ended
      await replace(slot, owner)
    },
    look: lookIn(reader, names),
    heard: heardIn(reader),
    close: async () => {
      await reader.dispose()
      await Promise.all(slots.map(kill))
    }
  }
}
