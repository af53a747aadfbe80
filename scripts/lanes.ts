// What turbo runs for `npm test`: the tests of the packages, and what is checked beside them.
import type { WorkspacePackage } from "./checks/workspace.ts"
import { outcome } from "./outcome.ts"
import { addTally, emptyTally, type Tally } from "./tally.ts"
import { forgetRuns, tasksOfRuns, turbo, type TurboTask } from "./turbo.ts"

/**
 * Turbo in two lanes beside each other. The tests of the hosts take longest and wait most: they have a lane of their own
 * from the start, and the other keeps the processors busy meanwhile. No edge orders them, which would be in their hashes.
 *
 * `whole`: the packages whose tests run.
 */
export async function runLanes(
  root: string,
  packages: ReadonlyArray<WorkspacePackage>,
  whole: ReadonlyArray<string>
): Promise<ReadonlyArray<TurboTask>> {
  forgetRuns(root)
  const options = ["--summarize", "--continue=dependencies-successful"]
  const tests = (kind: "apps" | "packages"): ReadonlyArray<string> =>
    packages.filter((owner) => owner.kind === kind && whole.includes(owner.name)).map(({ name }) => `${name}#test`)
  const lanes = [
    ["build", ...tests("apps")],
    ["compile", "lint", "diagnostics", ...tests("packages")]
  ]
  await Promise.all(lanes.map((tasks) => turbo(root, [...tasks, ...options])))
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
