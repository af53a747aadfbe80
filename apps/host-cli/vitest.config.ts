import { defineConfig, mergeConfig } from "vitest/config"
import shared from "../../vitest.shared.ts"

/**
 * The command is built from its sources once for all processes of the tests: they start eight times faster. Half of the
 * processors are left to the windows of the editor, which are tested meanwhile and do not bear to wait.
 */
export default mergeConfig(
  shared,
  defineConfig({ test: { globalSetup: ["test/support/build.ts"], maxWorkers: "50%" } })
)
