import { readFileSync } from "node:fs"
import path from "node:path"
import { defineConfig } from "rolldown"
import { whole } from "../../bundle.shared.ts"
import { copyGrammars } from "../../grammars.shared.ts"

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("./package.json", import.meta.url), "utf8")
)

/**
 * A small entry and lazy chunks: what is imported dynamically is read from disk only when it is used.
 *
 * Our own packages are bundled from their sources. `@vscode/ripgrep` stays outside since it finds its binary next to
 * itself.
 */
export default defineConfig({
  ...whole,
  input: { belay: "src/belay.ts", readable: "@belay/tool-executor/readable-worker" },
  platform: "node",
  external: [/^node:/, "@vscode/ripgrep"],
  resolve: { conditionNames: ["@belay/source", "node", "import", "module", "default"] },
  transform: { define: { BELAY_VERSION: JSON.stringify(version) } },
  plugins: [{ name: "grammars", writeBundle: ({ dir }) => copyGrammars(path.join(dir ?? "dist", "grammars")) }],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
    sourcemap: false
  }
})
