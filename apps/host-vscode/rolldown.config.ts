import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig, type RolldownOptions } from "rolldown"
import { ascii, lightSdk, namespaces, whole } from "../../scripts/shared/bundle.ts"
import { copyGrammars } from "../../scripts/shared/grammars.ts"
import { noticesOf } from "../../scripts/shared/notices.ts"
import { changelog } from "./changelog.ts"

const here = (file: string): URL => new URL(file, import.meta.url)

/** All packages share one version; Changesets counts it where they are published. */
const { version }: { readonly version: string } = JSON.parse(
  readFileSync(here("../../packages/task-engine/package.json"), "utf8")
)

/** The pictures where the package has them; it has no recording. */
const packaged = (readme: string): string =>
  readme.replaceAll("](extension/media/", "](media/").replace(/^!\[[^\]]*\]\(recording\.webp\)\n\n/mu, "")

/** `dist` is the extension as it is packaged: its manifest, its pictures, and what was bundled. */
const complete = () => {
  cpSync(here("extension"), here("dist"), { recursive: true })
  cpSync(here("LICENSE"), here("dist/LICENSE"))
  writeFileSync(here("dist/README.md"), packaged(readFileSync(here("README.md"), "utf8")))
  copyGrammars(fileURLToPath(here("dist/grammars")))
  writeFileSync(here("dist/CHANGELOG.md"), changelog(fileURLToPath(here("../.."))))
  const manifest = JSON.parse(readFileSync(here("extension/package.json"), "utf8"))
  writeFileSync(here("dist/package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
}

const icons = new URL(import.meta.resolve("@vscode/codicons/dist/codicon.ttf"))

/** The style sheet of the view, and the font of its signs. */
const styled = (): void => {
  cpSync(here("src/webview/chat.css"), here("dist/webview/chat.css"))
  cpSync(icons, here("dist/webview/codicon.ttf"))
}

/** One for all bundles: the last of them writes what is in any of them. */
const notices = noticesOf("@belay/host-vscode", version, fileURLToPath(here("dist")), [fileURLToPath(icons)])

/**
 * Lazy chunks: what is imported dynamically is read from disk only when it is used.
 *
 * Our own packages are bundled from their sources. `@vscode/ripgrep` is not packaged: the editor has its own.
 */
const node = {
  ...whole,
  platform: "node",
  external: [/^node:/, "vscode", "@vscode/ripgrep", /^@anthropic-ai\/(?:bedrock|vertex)-sdk$/],
  resolve: { conditionNames: ["@belay/source", "node", "import", "module", "default"] },
  transform: { define: { BELAY_VERSION: JSON.stringify(version) } },
  plugins: [namespaces, ascii, notices],
  output: {
    dir: "dist",
    // What runs when the editor starts is read at once, without waiting for all else that happens then.
    format: "cjs",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minify: true,
    sourcemap: false
  }
} satisfies RolldownOptions

/** What runs when the editor starts: one small file, which shares nothing with the others. */
const entry = defineConfig({
  ...node,
  input: { extension: "src/extension.ts" },
  output: { ...node.output, cleanDir: true }
})

/** What is loaded when it is used. The database's thread is an entry of its own. */
const rest = defineConfig({
  ...node,
  input: {
    main: "src/main.ts",
    thread: "src/thread.ts",
    worker: "src/historyThread.ts",
    readable: "@belay/tool-executor/readable-worker"
  },
  plugins: [namespaces, ascii, lightSdk, { name: "extension", writeBundle: complete }, notices]
})

/** The view of a conversation: one file for a browser, with the libraries that only it needs, and its style sheet. */
const view = defineConfig({
  ...whole,
  input: { chat: "src/webview/main.tsx" },
  platform: "browser",
  resolve: { conditionNames: ["@belay/source", "browser", "import", "module", "default"] },
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
  plugins: [{ name: "style", writeBundle: styled }, notices],
  output: { dir: "dist/webview", format: "iife", entryFileNames: "[name].js", minify: true, sourcemap: false }
})

/** The worker of the view that knows grammars, with nothing to load beside it. */
const highlight = defineConfig({
  ...whole,
  input: { highlight: "src/webview/highlight/worker.ts" },
  platform: "browser",
  plugins: [notices],
  output: { dir: "dist/webview", format: "iife", entryFileNames: "[name].js", minify: true, sourcemap: false }
})

export default [entry, rest, view, highlight]
