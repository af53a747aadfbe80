import { defineConfig, mergeConfig } from "vitest/config"
import shared from "../../scripts/shared/vitest.ts"

export default mergeConfig(shared, defineConfig({ test: { globalSetup: ["test/programs.ts", "test/server.ts"] } }))
