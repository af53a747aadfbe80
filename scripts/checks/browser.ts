// What a web page may import: the entries that need no Node are bundled for a browser, from their sources.
//
// Guarantee: neither an entry nor anything that it stands on imports a module of Node, be it used or not.
import * as path from "node:path"
import { rolldown } from "rolldown"

/** The entries, by package. */
export const pure: Readonly<Record<string, ReadonlyArray<string>>> = {
  "approval-policy": [".", "./shell"],
  "focus-chain": ["./checklist"],
  "history-store": ["./step", "./attention"],
  "message-state": ["."],
  "model-client": ["."],
  modes: ["."],
  "prompt-context": ["./mention", "./slash-command"],
  "task-engine": ["./text"],
  "task-state": [".", "./legacy", "./promise"],
  "tool-executor": ["./tool"]
}

/** One sentence for each module of Node that a page would need. */
export async function checkBrowser(root: string, entries = pure): Promise<ReadonlyArray<string>> {
  const found = new Set<string>()
  const shown = (file: string): string => path.relative(root, file).replaceAll(path.sep, "/")
  const pages = new Map(
    Object.entries(entries).flatMap(([name, paths]) => {
      const page = path.join(root, "packages", name, "page.js")
      const imports = paths.map((entry) => `import ${JSON.stringify(path.posix.join(`@belay/${name}`, entry))}`)
      return [[page, imports.join("\n")] as const]
    })
  )
  const bundle = await rolldown({
    input: [...pages.keys()],
    platform: "browser",
    treeshake: false,
    resolve: { conditionNames: ["@belay/source", "import", "module", "browser", "default"] },
    onLog: (_, { code, message }) => {
      if (code === "UNRESOLVED_IMPORT") throw new Error(message)
    },
    plugins: [
      {
        name: "pages",
        resolveId: (id, importer) => {
          if (pages.has(id)) return id
          if (!id.startsWith("node:")) return undefined
          found.add(`${shown(importer ?? "")} imports ${id}, and an entry for web pages stands on it.`)
          return { id, external: true }
        },
        load: (id) => pages.get(id)
      }
    ]
  })
  try {
    await bundle.generate({ format: "esm" })
  } finally {
    await bundle.close()
  }
  return [...found].sort()
}
