import { defineConfig, mergeConfig } from "vitest/config"
import shared from "../../vitest.shared.ts"

/** The stories run in a real VS Code, which is installed first where it is missing; one window at a time. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      globalSetup: ["test/vscode/Installation.ts"],
      fileParallelism: false
    }
  })
)
