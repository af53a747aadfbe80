/** Where the commands of `belay rescue` look, and which tasks are meant. Nothing is written. */
import { Agent, Places, Rescue } from "@belay/history-interop"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { isSet, type Parsed, text, texts } from "../../cli/Arguments.ts"
import { Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"

const isAgent = (name: string): name is Agent.Agent => Agent.agents.some((agent) => agent === name)

const placesOf = (parsed: Parsed): ReadonlyArray<Places.Place> => {
  const named = texts(parsed, "path")
  return named.length === 0 ? Places.find() : named.flatMap((folder) => Places.within(path.resolve(folder)))
}

/** What is found, with what it took in ms. */
export interface Looked {
  readonly looked: ReadonlyArray<Rescue.Look.Looked>
  readonly found: Rescue.Found.Found
  readonly took: number
  readonly now: number
}

/** Looks into all places, or into those of some programs. A terminal is told how far it is. */
export const look = (parsed: Parsed, sink: Sink, agents: ReadonlyArray<string> = []): Effect.Effect<Looked, Failure> =>
  Effect.gen(function* () {
    const unknown = agents.find((name) => !isAgent(name))
    if (unknown !== undefined) {
      return yield* usage(`there is no program "${unknown}" to look for`, `Use ${Agent.agents.join(", ")}.`)
    }
    const began = yield* Clock.currentTimeMillis
    const places = placesOf(parsed).filter(({ agent }) => agents.length === 0 || agents.includes(agent))
    const isSeen = process.stderr.isTTY
    const begun = `Looking into ${places.length} ${places.length === 1 ? "place" : "places"}. Nothing is written.`
    if (isSeen) sink.live([begun])
    else if (places.length > 0 && text(parsed, "output") !== "json") sink.err(`${begun}\n`)
    yield* Effect.yieldNow
    const looked = yield* Rescue.Look.at(places, {
      deep: isSet(parsed, "deep"),
      progress: (done, total, place) =>
        Effect.andThen(
          Effect.sync(() => {
            if (isSeen) sink.live([`${done} of ${total}  ${place}`])
          }),
          Effect.yieldNow
        )
    })
    if (isSeen) sink.live([])
    const now = yield* Clock.currentTimeMillis
    if (!looked.some(({ place }) => place.state === "read")) {
      const denied = looked.filter(({ place }) => place.state === "denied").map(({ place }) => place.path)
      const what =
        denied.length > 0
          ? `no history could be read (${denied.join(", ")})`
          : "no history of another program was found"
      return yield* new Failure({ code: 5, tag: "NothingFound", what, hint: "Name one: belay rescue --path DIR." })
    }
    return { looked, found: Rescue.Look.report(looked), took: now - began, now }
  })

const isMeant = ({ agent, id, ref }: Rescue.Found.Task, named: string): boolean =>
  ref.startsWith(named) || (named.startsWith(`${agent}:`) && id.endsWith(named.slice(agent.length + 1)))

/** The task that the beginning of a ref means, or a program with the end of an id. */
export const taskOf = (found: Rescue.Found.Found, ref: string): Effect.Effect<Rescue.Found.Task, Failure> => {
  const some = found.tasks.filter((task) => isMeant(task, ref))
  const exact = some.find((task) => task.ref === ref) ?? (some.length === 1 ? some[0] : undefined)
  if (exact !== undefined) return Effect.succeed(exact)
  return Effect.fail(
    some.length === 0
      ? usage(`no task was found for "${ref}"`, "See them all: belay rescue --all.")
      : usage(`"${ref}" means ${some.length} tasks`, "Give more of it.")
  )
}

/** The trees of the tasks that are named, or of all that can be repaired. */
export const chosen = (
  found: Rescue.Found.Found,
  named: ReadonlyArray<string>
): Effect.Effect<ReadonlySet<string>, Failure> =>
  Effect.gen(function* () {
    if (named.length === 0) return Rescue.Chosen.repairable(found)
    const tasks = yield* Effect.forEach(named, (ref) => taskOf(found, ref))
    return Rescue.Chosen.treeOf(
      found,
      tasks.map(({ ref }) => ref)
    )
  })
