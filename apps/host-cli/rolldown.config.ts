import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { defineConfig, type Plugin } from "rolldown"
import { ascii, lightSdk, namespaces, whole } from "../../scripts/shared/bundle.ts"
import { copyGrammars } from "../../scripts/shared/grammars.ts"
import { noticesOf } from "../../scripts/shared/notices.ts"

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("./package.json", import.meta.url), "utf8")
)

/** A chunk of what these modules import and no chunk before it has. */
const chunk = (name: string, test: RegExp) => ({ name, test })

const LAZY = "\0lazy:"

/** Evaluated when its function is called first: what it makes at once, of Unicode's tables, takes 15 ms of each start. */
const lazyWidth: Plugin = {
  name: "lazy-width",
  resolveId(id, importer) {
    if (id !== "string-width" || importer === undefined) return undefined
    return importer.startsWith(LAZY) ? this.resolve(id, importer.slice(LAZY.length)) : `${LAZY}${importer}`
  },
  load: (id) =>
    id.startsWith(LAZY)
      ? 'let found; export default (...given) => (found ??= require("string-width").default)(...given)'
      : undefined
}

const RARE = "\0rare:"

/** Modules of Node of which a start uses nothing, or one function late: each is loaded when a function of it is called first. */
const rare: ReadonlyMap<string, object> = new Map<string, object>([
  ["node:crypto", crypto],
  ["node:child_process", childProcess]
])

const lazyModules: Plugin = {
  name: "lazy-modules",
  resolveId(id, importer) {
    if (!rare.has(id)) return undefined
    return importer === `${RARE}${id}` ? { id, external: true } : `${RARE}${id}`
  },
  load(id) {
    const name = id.startsWith(RARE) ? id.slice(RARE.length) : undefined
    if (name === undefined) return undefined
    const functions = Object.entries(rare.get(name) ?? {}).flatMap(([key, value]) => {
      const isCalled = typeof value === "function" && !/^[A-Z]|^default$/.test(key)
      return isCalled ? [`export const ${key} = (...given) => require(${JSON.stringify(name)}).${key}(...given)`] : []
    })
    return functions.join("\n")
  }
}

/** What lies beside the bundled files, which are of Node's own kind in a package of modules. */
const beside = (folder: string): void => {
  copyGrammars(path.join(folder, "grammars"))
  writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n')
}

/**
 * A small entry and lazy chunks: what is imported dynamically is read from disk only when it is used. What each start
 * reads is in few files, since finding and linking a file costs more than reading it: one that starts a task reads 10
 * instead of 74, which takes 15 % less processor time.
 *
 * Our own packages are bundled from their sources. `@vscode/ripgrep` stays outside since it finds its binary next to
 * itself.
 */
export default defineConfig({
  ...whole,
  input: { belay: "src/belay.ts", main: "src/main.ts", readable: "@belay/tool-executor/readable-worker" },
  platform: "node",
  external: [/^node:(?!(?:crypto|child_process)$)/, "@vscode/ripgrep", /^@anthropic-ai\/(?:bedrock|vertex)-sdk$/],
  resolve: { conditionNames: ["@belay/source", "node", "import", "module", "default"] },
  transform: { define: { BELAY_VERSION: JSON.stringify(version) } },
  plugins: [
    namespaces,
    ascii,
    lightSdk,
    lazyWidth,
    lazyModules,
    { name: "beside", writeBundle: ({ dir = "dist" }) => beside(dir) },
    noticesOf("@belay/host-cli", version)
  ],
  output: {
    dir: "dist",
    cleanDir: true,
    // What was compiled before can be loaded with files of this kind alone.
    format: "cjs",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
    sourcemap: false,
    codeSplitting: {
      groups: [
        // Read before what was compiled is looked for: alone, or what it is bundled with is compiled at each start.
        chunk("folder", /history-store[\\/]src[\\/]history[\\/]DataFolder\.ts$/),
        chunk("main", /host-cli[\\/]src[\\/]main\.ts$/),
        chunk("list", /handlers[\\/]task[\\/]list\.ts$/),
        // Without all that a run reads: an agent of an editor answers before that is read.
        chunk("widening", /host-cli[\\/]src[\\/]Widening\.ts$/),
        chunk("look", /handlers[\\/]task[\\/](?:show|tree|watch|search)\.ts$/),
        // What the interactive terminal needs to be there, before what runs tasks.
        chunk(
          "lines",
          /host-cli[\\/]src[\\/](?:progress[\\/](?:Underway|CallText|OutputTail)|output[\\/](?:DiffText|Markdown|Wrapped))\.ts$|task-engine[\\/]src[\\/]text[\\/]Sentences\.ts$/
        ),
        chunk(
          "run",
          /handlers[\\/]run\.ts$|packages[\\/]settings[\\/]src[\\/](?:Settings(?:File|Document)|SecretsNode|internal[\\/]\w+)\.ts$|model-client[\\/]src[\\/]Secrets\.ts$/
        )
      ]
    }
  }
})
