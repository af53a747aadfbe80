import { availableParallelism } from "node:os"
import { configDefaults, defineConfig, mergeConfig } from "vitest/config"
import shared, { beginningWith } from "../../scripts/shared/vitest.ts"

/** Races of a program of the system, which `npm run test:full` has. */
const long = process.env["BELAY_PROOF"] === undefined ? ["test/interactive/tmux.test.ts"] : []

/**
 * The command is built from its sources once for all processes of the tests: they start eight times faster. A test waits for
 * its processes most of the time: one file after the other would take longer than all else of a run.
 */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      globalSetup: ["test/support/build.ts"],
      setupFiles: ["test/support/setup.ts"],
      exclude: [...configDefaults.exclude, ...long],
      maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
      sequence: { sequencer: beginningWith("crash/crash.test.ts", "crash/kills.test.ts", "crash/twice.test.ts") }
    }
  })
)
