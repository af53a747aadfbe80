/**
 * Writes the files of a template into a folder; of two files of one name the one of the later part.
 *
 * Nothing is written into a folder that has anything in it, and no file takes the place of another. Names that would mean
 * something where templates are kept begin with `_` there: `_gitignore`, `_package.json`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { ProjectError } from "./Wanted.ts"

const nameHere = (file: string): string => {
  const name = path.basename(file)
  const now = name === "_gitignore" ? ".gitignore" : name.replace(/^_/, "")
  return path.join(path.dirname(file), now)
}

/** What npm takes as a name, from the folder's. */
const packageName = (folder: string): string => {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
  return name === "" || name === "node_modules" ? "my-agent" : name.slice(0, 214)
}

const refuseUnlessEmpty = (folder: string): void => {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory())
    throw new ProjectError({ what: `${folder} is a file`, advice: "Name a folder that is not there yet." })
  if (readdirSync(folder).some((name) => name !== ".git"))
    throw new ProjectError({ what: `${folder} is not empty`, advice: "Name a folder that is not there yet." })
}

/** Gives the files that it wrote, from the folder. Throws `ProjectError`, before it writes. */
export const writeProject = (templates: URL, folder: string, parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  refuseUnlessEmpty(folder)
  const files = new Map(
    parts.flatMap((part) => {
      const from = fileURLToPath(new URL(`${part}/`, templates))
      return readdirSync(from, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => {
          const file = path.join(entry.parentPath, entry.name)
          return [nameHere(path.relative(from, file)), readFileSync(file, "utf8")] as const
        })
    })
  )
  try {
    for (const [file, text] of files) {
      const to = path.join(folder, file)
      mkdirSync(path.dirname(to), { recursive: true })
      const manifest = file === "package.json" ? { ...JSON.parse(text), name: packageName(folder) } : undefined
      const written = manifest === undefined ? text : `${JSON.stringify(manifest, undefined, 2)}\n`
      writeFileSync(to, written, { flag: "wx" })
    }
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new ProjectError({ what: `${folder} cannot be written (${why})`, advice: "Name another folder." })
  }
  return [...files.keys()]
}
