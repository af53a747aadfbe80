import { defineConfig } from "vitest/config"

/** The tests of the repository's own checks; each package has its own configuration. */
export default defineConfig({
  test: {
    include: ["scripts/**/*.test.ts"],
    environment: "node",
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ["default", ["json", { outputFile: ".cache/test-report.json" }]]
  }
})
