/** The programs that are typed at: ours, and others where they are installed, each over a server of its wire. */
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import * as Processes from "../programs/processes.ts"
import { environment, inherited, type Options } from "../programs/programs.ts"
import { readOf } from "../programs/workload.ts"
import * as Peers from "./peers.ts"

/** A program, and the server that it asks. */
export interface Seated {
  /** With its version, unless it is ours. */
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** What is on the screen when it takes what is typed. */
  readonly ready: RegExp
  readonly server: Processes.Server
}

/** What is streamed: pieces of 24 characters, so many ms apart. */
const PIECES = 1000
export const apart = 10

export const WORDS = PIECES * 4

/** Entries, as texts and calls that follow each other: so many answers of so many of each. */
const ANSWERS = 500
const PAIRS = 5
export const ENTRIES = ANSWERS * PAIRS * 2

export const streams = "Stream it."
export const many = "Read it all."

/** Paragraphs of 25 pieces. */
export const words = (pieces: number): string =>
  Array.from({ length: pieces }, (_, at) => `A piece of twentyfour.${at % 25 === 24 ? "\n\n" : ". "}`).join("")

const entries = (reads: Peers.Peer["reads"]) =>
  Array.from({ length: ANSWERS }, (_, answer) => ({
    content: Array.from({ length: PAIRS }, (_, pair) => {
      const at = answer * PAIRS + pair
      const call = { type: "tool_use" as const, ...reads(readOf(at)) }
      return [{ type: "text" as const, text: `Part ${at} of **it** is read next.` }, call]
    }).flat()
  }))

const scenarioOf = (reads: Peers.Peer["reads"]) => ({
  record: false,
  fallback: { content: [{ type: "text", text: "Fine." }] },
  tasks: [
    {
      match: { prompt: streams },
      shared: true,
      answers: [{ content: [{ type: "text", text: words(PIECES) }], delayMs: apart }]
    },
    {
      match: { prompt: many },
      shared: true,
      answers: [...entries(reads), { content: [{ type: "text", text: "All of it." }] }]
    }
  ]
})

/** How many requests the long one makes. */
export const REQUESTS = ANSWERS + 1

const served = (options: Options, peer: Pick<Peers.Peer, "bin" | "reads" | "wire">) =>
  Processes.serve(
    options.temporary,
    `seated-${peer.bin}`,
    scenarioOf(peer.reads),
    peer.wire === "responses" ? "responses.ts" : "server.ts"
  )

const ours = async (options: Options): Promise<Seated> => {
  const reads = (file: string) => ({ name: "read_file", input: { path: file } })
  const server = await served(options, { bin: "belay", reads, wire: "messages" })
  return {
    name: "Belay",
    command: [process.execPath, options.entry, "--max-requests", "2000"],
    env: environment(options, server.url, "seated"),
    cwd: options.cwd,
    ready: /Act › /u,
    server
  }
}

const another = async (options: Options, peer: Peers.Peer, version: string): Promise<Seated> => {
  const server = await served(options, peer)
  const home = path.join(options.temporary, `home-${peer.bin}`)
  mkdirSync(home, { recursive: true })
  const env = { ...inherited(), HOME: home, USERPROFILE: home, ...peer.settle(home, server.url, options.cwd) }
  const command = [Peers.binOf(peer), ...peer.args]
  return { name: `${peer.name} ${version}`, command, env, cwd: options.cwd, ready: peer.ready, server }
}

/** Ours first; what is not there is told. */
export const all = async (
  options: Options
): Promise<{
  readonly ours: Seated
  readonly others: ReadonlyArray<Seated>
  readonly skipped: ReadonlyArray<string>
}> => {
  const others: Array<Seated> = []
  const skipped: Array<string> = []
  for (const peer of Peers.all) {
    const version = Peers.versionOf(peer)
    if (version === undefined) skipped.push(`${peer.name}: not installed (pnpm bench --peers installs it).`)
    else others.push(await another(options, peer, version))
  }
  return { ours: await ours(options), others, skipped }
}
