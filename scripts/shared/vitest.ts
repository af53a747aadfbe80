import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from "vitest/node"
import { processorTime } from "../processorTime.ts"

// What a run cost, for the end of `npm test`: when vitest ends it has waited for all its workers.
process.once("exit", () => {
  const time = processorTime()
  if (time === undefined) return
  mkdirSync(".cache", { recursive: true })
  writeFileSync(path.join(".cache", "test-time.json"), JSON.stringify({ seconds: time.own + time.children }))
})

/**
 * These files begin first, in this order, since they take longest for what they are; then those that are largest. A file
 * that is begun last is what a whole run waits for.
 */
export const beginningWith = (...names: ReadonlyArray<string>): TestSequencerConstructor =>
  class extends BaseSequencer {
    override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
      const rank = ({ moduleId }: TestSpecification): number => {
        const at = names.findIndex((name) => moduleId.endsWith(`/test/${name}`))
        return at < 0 ? names.length : at
      }
      return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right))
    }
  }

/**
 * Tests read the sources of the workspace's packages, so that no build has to come first.
 *
 * Every run leaves its results in `.cache/test-report.json`, an output of turbo's `test` task: `npm test` sums these
 * files, also when turbo replays a run.
 */
export default defineConfig({
  resolve: { conditions: ["@belay/source"] },
  ssr: { resolve: { conditions: ["@belay/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    environment: "node",
    // No test changes a module, so files share what was loaded: loading it costs more than most of them.
    isolate: false,
    // A net for what hangs, far above what any test needs on a busy machine: speed is what benches are for.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Processes that tests start from sources are compiled once, not once each.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "../../.cache/compiled") },
    reporters: ["default", ["json", { outputFile: ".cache/test-report.json" }]]
  }
})
