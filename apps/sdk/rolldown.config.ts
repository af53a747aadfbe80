import { readFileSync } from "node:fs"
import path from "node:path"
import { defineConfig } from "rolldown"
import { ascii, whole } from "../../scripts/shared/bundle.ts"
import { noticesOf } from "../../scripts/shared/notices.ts"
import { writeTypes } from "./types.ts"

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("./package.json", import.meta.url), "utf8")
)

/**
 * All of our packages with what they stand on, from their sources: one entry, and chunks that are read when they are needed.
 * `@vscode/ripgrep` stays outside since it finds its binary next to itself; without it files cannot be searched.
 */
export default defineConfig({
  ...whole,
  input: { index: "src/index.ts", "readable-worker": "@belay/tool-executor/readable-worker" },
  platform: "node",
  external: [/^node:/, "@vscode/ripgrep", /^@anthropic-ai\/(?:bedrock|vertex)-sdk$/],
  resolve: { conditionNames: ["@belay/source", "node", "import", "module", "default"] },
  plugins: [
    ascii,
    { name: "types", writeBundle: ({ dir = "dist" }) => writeTypes("src/index.ts", path.resolve(dir, "types")) },
    noticesOf("@belay/sdk", version)
  ],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    // A thread is looked for beside the folder of what starts it.
    entryFileNames: ({ name }) => (name === "readable-worker" ? "[name].js" : "lib/[name].js"),
    chunkFileNames: "lib/[name]-[hash].js",
    minify: true,
    sourcemap: false
  }
})
