/** How this command came onto the machine, told by where it lies, and what makes it newer. */
import { existsSync, realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as path from "node:path"

declare const BELAY_VERSION: string | undefined

/** `source` where it was not built. */
export const version: string = typeof BELAY_VERSION === "string" ? BELAY_VERSION : "source"

const name = "@belay/host-cli"

export interface Installation {
  /** In words: `with npm, for all folders`. */
  readonly how: string
  /** Where. */
  readonly folder: string
  /** What is typed to have the newest one. */
  readonly command: string
}

const ways: ReadonlyArray<readonly [place: RegExp, how: string, command: string]> = [
  [/\/_npx\//, "for one run, by npx", `npx ${name}@latest`],
  [/\/pnpm\/dlx\b|\/dlx-[^/]*\//, "for one run, by pnpm dlx", `pnpm dlx ${name}@latest`],
  [/\/\.volta\//, "with Volta", `volta install ${name}@latest`],
  [/\/\.bun\/install\/global\//, "with bun, for all folders", `bun add --global ${name}@latest`],
  [/\/pnpm\/(?:global|store)\/|\/pnpm-global\//, "with pnpm, for all folders", `pnpm add --global ${name}@latest`],
  [/\/yarn\/global\/|\/Yarn\/Data\/global\//, "with yarn, for all folders", `yarn global add ${name}@latest`],
  [/\/lib\/node_modules\/|\/npm\/node_modules\//, "with npm, for all folders", `npm install --global ${name}@latest`]
]

/** Managers of a project's packages by their lock files. */
const managers: ReadonlyArray<readonly [lock: string, manager: string, command: string]> = [
  ["pnpm-lock.yaml", "pnpm", `pnpm add --save-dev ${name}@latest`],
  ["yarn.lock", "yarn", `yarn add --dev ${name}@latest`],
  ["bun.lock", "bun", `bun add --dev ${name}@latest`],
  ["bun.lockb", "bun", `bun add --dev ${name}@latest`],
  ["package-lock.json", "npm", `npm install --save-dev ${name}@latest`]
]

/** By the path of the running file. */
export const of = (file: string, exists: (file: string) => boolean = existsSync): Installation => {
  const folder = path.dirname(path.dirname(file))
  const plain = file.replaceAll("\\", "/")
  const at = plain.lastIndexOf("/node_modules/")
  if (at === -1) {
    const root = path.resolve(folder, "..", "..")
    return { how: "from a checkout", folder: root, command: `cd ${root} && git pull && npm run build` }
  }
  const way = ways.find(([place]) => place.test(plain))
  if (way !== undefined) return { how: way[1], folder, command: way[2] }
  const project = plain.slice(0, plain.indexOf("/node_modules/"))
  const [, manager = "npm", command = `npm install --save-dev ${name}@latest`] =
    managers.find(([lock]) => exists(path.join(project, lock))) ?? []
  return { how: `with ${manager}, for one folder`, folder: project, command: `cd ${project} && ${command}` }
}

/** Of the command that runs. */
export const here = (): Installation => {
  const file = fileURLToPath(import.meta.url)
  try {
    return of(realpathSync(file))
  } catch {
    return of(file)
  }
}
