import { defineConfig } from "vitest/config"

/** Tests read the sources of the workspace's packages, so that no build has to come first. */
export default defineConfig({
  resolve: { conditions: ["@belay/source"] },
  ssr: { resolve: { conditions: ["@belay/source"] } },
  test: { include: ["test/**/*.test.ts"], environment: "node", testTimeout: 30_000 }
})
