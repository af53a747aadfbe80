/**
 * A host that is killed at each point of its way: what it leaves has to be something that its next start can go on from.
 *
 * A point is a line that the program writes. It runs once to its end to tell which points there are, and then once for
 * each of them, killed (SIGKILL) when the line comes. Until the signal is there a program goes on, unless it waits: the number
 * of the point at which it will be killed is in `CRASH_POINT`, from 1, and 0 for the run to the end.
 */
import { type Options, spawnNode } from "./Processes.ts"

/** Names the program and its points. */
export interface Program {
  /** Arguments of Node, for example `["host.js"]`. */
  readonly args: ReadonlyArray<string>
  /** Folder and environment of a run; as a rule a data folder that is new for each. `run` counts from 0. */
  readonly place: (run: number) => Options | Promise<Options>
  /** Says whether a line of its stdout is a point. */
  readonly isPoint: (line: string) => boolean
}

/** Tells what a run has left. */
export interface Left {
  /** The line at which it was killed; undefined for the run that came to its end. */
  readonly point: string | undefined
  readonly run: number
  readonly place: Options
  /** All lines that it wrote. */
  readonly stdout: ReadonlyArray<string>
}

const withPoint = (place: Options, point: number): Options => ({
  ...place,
  env: { ...place.env, CRASH_POINT: String(point) }
})

/**
 * Kills the program at each of its points in turn and hands over what is left, the run to the end first. Rejects with what
 * `look` throws, or when the run to the end fails.
 */
export const atEachPoint = async (
  { args, isPoint, place }: Program,
  look: (left: Left) => void | Promise<void>
): Promise<ReadonlyArray<string>> => {
  const first = await place(0)
  const whole = await spawnNode(args, withPoint(first, 0)).exit
  if (whole.code !== 0) {
    throw new Error(`The program ends with ${whole.signal ?? whole.code} by itself: ${whole.stderr.join(" | ")}`)
  }
  await look({ point: undefined, run: 0, place: first, stdout: whole.stdout })
  const points = whole.stdout.filter(isPoint)
  for (const [at, point] of points.entries()) {
    const where = await place(at + 1)
    let seen = 0
    const running = spawnNode(args, withPoint(where, at + 1))
    await running
      .waitForLine((line) => isPoint(line) && seen++ === at)
      .then(() => running.kill())
      .catch(() => undefined)
    const { stdout } = await running.exit
    await look({ point, run: at + 1, place: where, stdout })
  }
  return points
}
