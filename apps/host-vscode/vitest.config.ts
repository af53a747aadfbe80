import { defineConfig, mergeConfig } from "vitest/config"
import shared, { beginningWith } from "../../scripts/shared/vitest.ts"

/** The stories run in a real VS Code, which is installed first where it is missing; two windows at once. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      globalSetup: ["test/vscode/Run.ts"],
      setupFiles: ["test/vscode/setup.ts"],
      sequence: {
        sequencer: beginningWith("conversation.test.ts", "window.test.ts", "sharedHistory.test.ts", "packaged.test.ts")
      },
      maxWorkers: 2
    }
  })
)
