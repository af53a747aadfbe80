import { defineConfig } from "vitest/config"

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
    testTimeout: 30_000,
    reporters: ["default", ["json", { outputFile: ".cache/test-report.json" }]]
  }
})
