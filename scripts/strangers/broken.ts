// Packages that are broken as packages can be, each in one way: what does not find them finds nothing.
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import type { WorkspacePackage } from "../checks/workspace.ts"

interface Standin {
  readonly id: string
  /** What is said of it, among other things; nothing is said of one that is sound. */
  readonly expected: RegExp | undefined
  readonly change: (files: Record<string, string>, manifest: Record<string, unknown>) => void
}

const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` })

const standins: ReadonlyArray<Standin> = [
  { id: "sound", expected: undefined, change: () => undefined },
  {
    id: "broken-exports",
    expected: /loading on .*ERR_MODULE_NOT_FOUND/,
    change: (_, manifest) => void (manifest["exports"] = { ".": entry("index"), "./more": entry("mroe") })
  },
  {
    id: "missing-dependency",
    expected: /loading on .*Cannot find package '@belay\/nowhere'/,
    change: (files) => void (files["dist/index.js"] = 'export { two } from "@belay/nowhere"\n')
  },
  {
    id: "missing-file",
    expected: /loading on .*Cannot find module .*more\.js/,
    change: (_, manifest) => void (manifest["files"] = ["dist/index.*", "README.md"])
  }
]

/** A package on disk that a stranger is shown, and what has to be said of it. */
export interface Broken {
  readonly owner: WorkspacePackage
  readonly expected: RegExp | undefined
}

/** Writes them below a folder. */
export const writeBroken = (to: string): ReadonlyArray<Broken> =>
  standins.map(({ change, expected, id }) => {
    const folder = path.join(to, "broken", id)
    const name = `@belay/${id}`
    const files: Record<string, string> = {
      "dist/index.js": 'export { two } from "./more.js"\n',
      "dist/index.d.ts": 'export { two } from "./more.js"\n',
      "dist/more.js": "export const two = 2\n",
      "dist/more.d.ts": "export declare const two: 2\n",
      "README.md": `npm install ${name}\n\n\`\`\`ts\nimport { two } from "${name}"\nconsole.log(two)\n\`\`\`\n\n\`\`\`text\n2\n\`\`\`\n`
    }
    const manifest = {
      name,
      version: "0.0.0",
      license: "Apache-2.0",
      type: "module",
      files: ["dist", "README.md"],
      exports: { ".": entry("index"), "./more": entry("more") }
    }
    change(files, manifest)
    files["package.json"] = `${JSON.stringify(manifest, undefined, 2)}\n`
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), text)
    }
    return { owner: { id, kind: "packages", folder, name, manifest }, expected }
  })

/** One sentence when what was found in a broken package is not what is wrong with it. */
export const notCaught = (expected: RegExp | undefined, found: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (expected === undefined) return found
  return found.some((line) => expected.test(line))
    ? []
    : [`nothing that was found is ${expected}: ${found.join(" | ") || "nothing was found"}`]
}
