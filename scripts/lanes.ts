// What turbo runs for `npm test`: the tests of the packages, and what is checked beside them.
import type { WorkspacePackage } from "./checks/workspace.ts"
import { outcome } from "./outcome.ts"
import { addTally, emptyTally, type Tally } from "./tally.ts"
import { forgetRuns, tasksOfRuns, turbo, type TurboTask } from "./turbo.ts"

interface Lane {
  readonly tasks: ReadonlyArray<string>
  /** To the lanes that do not. */
  readonly yields?: boolean
  /** How many run at once, where it is not one for each processor. */
  readonly atOnce?: number
}

const options: ReadonlyArray<string> = ["--summarize", "--continue=dependencies-successful"]

/** What takes longest beside the hosts: more than half of the processor time of all packages' tests, one file after the other. */
const long: ReadonlyArray<string> = ["@belay/tool-executor", "@belay/task-engine", "@belay/history-store"]

/**
 * Turbo in lanes beside each other, so that no processor is without work. The tests of the hosts wait most, and a window does
 * not bear to wait: they begin at once and go first. What else there is takes what they leave: the packages that take
 * longest all from the beginning, so that none of them is what all wait for in the end with one processor at work. No edge
 * orders them, which would be in their hashes.
 *
 * `whole`: the packages whose tests run.
 */
export async function runLanes(
  root: string,
  packages: ReadonlyArray<WorkspacePackage>,
  whole: ReadonlyArray<string>
): Promise<ReadonlyArray<TurboTask>> {
  forgetRuns(root)
  const wanted = packages.filter(({ name }) => whole.includes(name))
  const tests = (isOf: (owner: WorkspacePackage) => boolean): ReadonlyArray<string> =>
    wanted.filter(isOf).map(({ name }) => `${name}#test`)
  const isLong = ({ name }: WorkspacePackage): boolean => long.includes(name)
  const lanes: ReadonlyArray<Lane> = [
    { tasks: ["build", ...tests(({ kind }) => kind === "apps")] },
    { tasks: tests((owner) => owner.kind !== "apps" && isLong(owner)), yields: true, atOnce: long.length },
    {
      tasks: ["compile", "lint", "diagnostics", ...tests((owner) => owner.kind !== "apps" && !isLong(owner))],
      yields: true
    }
  ]
  await Promise.all(
    lanes
      .filter(({ tasks }) => tasks.length > 0)
      .map(({ atOnce, tasks, yields = false }) =>
        turbo(root, [...tasks, ...options, ...(atOnce === undefined ? [] : [`--concurrency=${atOnce}`])], { yields })
      )
  )
  return tasksOfRuns(root)
}

/** The tasks beside the tests: those of one kind count as one. */
export function tallyOfKinds(packages: ReadonlyArray<WorkspacePackage>, tasks: ReadonlyArray<TurboTask>): Tally {
  const kinds = {
    compile: ["//#compile"],
    build: packages.filter(({ kind }) => kind === "apps").map(({ name }) => `${name}#build`),
    lint: ["//#lint"],
    diagnostics: ["//#diagnostics"]
  }
  let tally = emptyTally
  for (const [kind, wanted] of Object.entries(kinds)) {
    const violations = wanted.flatMap((id) => {
      const code = tasks.find(({ taskId }) => taskId === id)?.execution?.exitCode
      if (code === 0) return []
      return [
        typeof code === "number" ? `${id} exited with ${code}.` : `${id} did not run: something before it failed.`
      ]
    })
    tally = addTally(tally, outcome(kind, violations))
  }
  return tally
}
