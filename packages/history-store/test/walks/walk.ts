/** The same sequence through every kind of history, compared after each step; one that fails is made short. */
import { Message } from "@belay/message-state"
import { Memory, type TaskId } from "@belay/task-state"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Hosts from "./hosts.ts"
import { processes } from "./processes.ts"
import * as Reference from "./reference.ts"
import * as Sequence from "./sequence.ts"

/** Several walks through the same histories, since opening them takes longer than a walk. */
export interface Book {
  readonly seed: number
  readonly owners: number
  readonly walks: number
}

export interface Figures {
  walks: number
  steps: number
  deaths: number
}

/** Of one walk. */
const steps = 20

class Difference extends Error {}

/** One reference with the histories that have to be as it is. */
export class Shelf {
  readonly memory = Memory.make()
  readonly owners: Array<string>
  readonly used = new Set<TaskId.TaskId>()
  readonly hosts: ReadonlyArray<Hosts.Host>
  /** What runners have written, by their tasks. */
  private readonly written = new Map<TaskId.TaskId, Array<string>>()
  private named: number

  constructor(owners: ReadonlyArray<string>, hosts: ReadonlyArray<Hosts.Host>) {
    this.owners = [...owners]
    this.hosts = hosts
    this.named = owners.length
  }

  private async compare(doing: string): Promise<void> {
    const wanted = new Map([...this.used].map((id) => [id, JSON.stringify(Reference.look(this.memory, id))]))
    const compared = async (host: Hosts.Host, id: TaskId.TaskId) => {
      const found = JSON.stringify(await host.look(id))
      if (wanted.get(id) === found) return
      throw new Difference(`${host.name}, after ${doing}: ${id} should be\n  ${wanted.get(id)}\nand is\n  ${found}`)
    }
    await Promise.all(this.hosts.flatMap((host) => [...this.used].map((id) => compared(host, id))))
  }

  private async all(does: (host: Hosts.Host) => Promise<Hosts.Said>, wanted: Hosts.Said, doing: string): Promise<void> {
    const said = await Promise.all(this.hosts.map(async (host) => [host.name, await does(host)] as const))
    for (const [name, one] of said) {
      if (one !== wanted) throw new Difference(`${name}: ${doing} should say ${wanted}, and says ${one}`)
    }
  }

  private nameOf(slot: number): string {
    const name = this.owners[slot]
    if (name === undefined) throw new Error(`no owner at ${slot}`)
    return name
  }

  private another(slot: number): string {
    Memory.kill(this.memory, this.nameOf(slot))
    return (this.owners[slot] = `owner ${this.named++}`)
  }

  private async ask({ request, slot }: Extract<Sequence.Action, { readonly _tag: "Ask" }>): Promise<void> {
    const { rule, steps: asked } = Reference.ask(this.memory, this.nameOf(slot), request)
    await this.all((host) => host.commit(slot, asked), rule, JSON.stringify(request))
  }

  private async write(action: Extract<Sequence.Action, { readonly _tag: "Write" }>): Promise<void> {
    const { attempt, slot, taskId, text } = action
    const rule = Reference.write(this.memory, this.nameOf(slot), taskId, attempt)
    if (rule === undefined) this.written.set(taskId, [...(this.written.get(taskId) ?? []), text])
    const step = { _tag: "Append", taskId, attempt, message: Message.user(Message.text(text)) } as const
    await this.all((host) => host.commit(slot, [step]), rule, JSON.stringify(action))
  }

  /** A process dies while it commits: then all of it was done, or nothing, and the others do the same. */
  private async askAndDie(action: Extract<Sequence.Action, { readonly _tag: "AskAndDie" }>): Promise<void> {
    const { request, slot, statement } = action
    const done = Reference.copy(this.memory)
    const me = this.nameOf(slot)
    const { rule, steps: asked } = Reference.ask(done, me, request)
    const next = `owner ${this.named}`
    for (const host of this.hosts) await host.commitAndDie?.(slot, asked, statement, next)
    const mortal = this.hosts.find((host) => host.commitAndDie !== undefined)
    const wasDone = mortal === undefined || (await this.isAs(done, mortal))
    if (wasDone && rule === undefined) {
      Reference.ask(this.memory, me, request)
      for (const host of this.hosts) if (host !== mortal) await host.commit(slot, asked)
    }
    this.another(slot)
    for (const host of this.hosts) if (host !== mortal) await host.die(slot, next)
  }

  /** Whether the records of a history are as in this reference; leases are not compared, as an owner has died. */
  private async isAs(memory: Memory.Memory, host: Hosts.Host): Promise<boolean> {
    for (const id of this.used) {
      const [wanted, found] = [Reference.look(memory, id), await host.look(id)]
      if (JSON.stringify(wanted?.record) !== JSON.stringify(found?.record)) return false
    }
    return true
  }

  async do(action: Sequence.Action): Promise<void> {
    const doing = JSON.stringify(action)
    if ("request" in action) for (const id of Sequence.makes(action.request)) this.used.add(id)
    switch (action._tag) {
      case "Ask":
        await this.ask(action)
        break
      case "AskAndDie":
        await this.askAndDie(action)
        break
      case "Write":
        await this.write(action)
        break
      case "Reconcile": {
        const me = this.nameOf(action.slot)
        const runners = new Set(this.memory.runners.get(me))
        Reference.reconcile(this.memory, me)
        await this.all((host) => host.reconcile(action.slot, runners), undefined, doing)
        break
      }
      case "Lose":
        this.memory.runners.get(this.nameOf(action.slot))?.delete(action.taskId)
        return
      case "Die": {
        const next = this.another(action.slot)
        await Promise.all(this.hosts.map((host) => host.die(action.slot, next)))
      }
    }
    await this.compare(doing)
  }

  /** The end of a walk: what was told to a task was told once; its tasks are looked at no more. */
  async rest(): Promise<void> {
    for (const host of this.hosts) {
      for (const id of this.used) {
        const record = this.memory.tasks.get(id)
        if (record === undefined || record.deletedAt !== undefined) continue
        const wrong = Reference.wrongResults(this.memory, id, await host.heard(id), this.written.get(id) ?? [])
        if (wrong !== undefined) throw new Difference(`${host.name}: ${wrong}`)
      }
    }
    this.used.clear()
  }

  async close(): Promise<void> {
    for (const host of this.hosts) await host.close()
  }
}

const folder = (root: string): string => mkdtempSync(join(root, "belay-walk-"))

/** Uses histories of so many owners, which are gone afterwards. */
const withShelf = async <A>(root: string, owners: number, use: (shelf: Shelf) => Promise<A>): Promise<A> => {
  const names = Array.from({ length: owners }, (_, slot) => `owner ${slot}`)
  const folders = [folder(root), folder(root), folder(root)] as const
  const hosts = [
    // A history in memory has one owner.
    ...(owners === 1 ? [await Hosts.memory(names)] : []),
    await Hosts.file(folders[0], names),
    await Hosts.thread(folders[1], names),
    await processes(folders[2], names)
  ]
  const shelf = new Shelf(names, hosts)
  try {
    return await use(shelf)
  } finally {
    await shelf.close()
    for (const one of folders) rmSync(one, { recursive: true, force: true })
  }
}

const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What is wrong with a sequence that is done from the beginning; nothing when nothing is. */
const wrongIn = (root: string, owners: number, actions: ReadonlyArray<Sequence.Action>): Promise<string | undefined> =>
  withShelf(root, owners, async (shelf) => {
    try {
      for (const action of actions) await shelf.do(action)
      await shelf.rest()
      return undefined
    } catch (error) {
      return detailOf(error)
    }
  })

/** Leaves out what the failure does not need: halves first, then single steps. */
const shortened = async (
  root: string,
  owners: number,
  failing: ReadonlyArray<Sequence.Action>
): Promise<ReadonlyArray<Sequence.Action>> => {
  let left = failing
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length;) {
      const without = [...left.slice(0, from), ...left.slice(from + size)]
      if ((await wrongIn(root, owners, without)) === undefined) from += size
      else left = without
    }
  }
  return left
}

const explain = async (
  root: string,
  { owners, seed }: Book,
  walk: ReadonlyArray<Sequence.Action>,
  before: ReadonlyArray<Sequence.Action>,
  error: unknown
): Promise<string> => {
  const alone = (await wrongIn(root, owners, walk)) === undefined ? [...before, ...walk] : walk
  const short = await shortened(root, owners, alone)
  const lines = short.map((action) => `  ${JSON.stringify(action)}`)
  return `seed ${seed}, ${owners} owners: ${detailOf(error)}\nshortest sequence that fails:\n${lines.join("\n")}`
}

/** Walks of one book; throws with the seed and the shortest sequence that fails. */
export const read = (root: string, book: Book, figures: Figures, moved: () => void): Promise<void> =>
  withShelf(root, book.owners, async (shelf) => {
    const next = Sequence.random(book.seed)
    const before: Array<Sequence.Action> = []
    for (let n = 0; n < book.walks; n++) {
      const walk: Array<Sequence.Action> = []
      try {
        for (let drawn = 0; drawn < 4 * steps && walk.length < steps; drawn++) {
          const action = Sequence.draw(shelf.memory, shelf.owners, shelf.used, `${book.seed}-${n}`, next)
          if (action === undefined) continue
          walk.push(action)
          await shelf.do(action)
          figures.steps++
          if (action._tag === "Die" || action._tag === "AskAndDie") figures.deaths++
          moved()
        }
        await shelf.rest()
      } catch (error) {
        throw new Error(await explain(root, book, walk, before, error), { cause: error })
      }
      before.push(...walk)
      figures.walks++
    }
  })
