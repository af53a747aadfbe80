import { defineConfig, mergeConfig } from "vitest/config"
import shared from "../../vitest.shared.ts"

/** The command is built from its sources once for all processes of the tests: they start eight times faster. */
export default mergeConfig(shared, defineConfig({ test: { globalSetup: ["test/support/build.ts"] } }))
