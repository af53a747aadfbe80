// The rooms of a package: folders below its `src` form no circle, and none is a pile.
//
// Guarantee: for no two folders is there a way of imports from the first to the second and back, types included. Files
// directly in `src` are the face of the package and no room: they may import every room.
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { importsOf } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

/** Files in one folder of sources. */
const most = 22

/** The rooms of a package by what they import, and how many files each has. */
export interface Rooms {
  readonly files: ReadonlyMap<string, number>
  /** `a` -> `b` -> the file of `a` and what it imports of `b`, one of each. */
  readonly imports: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export function checkFolders(root: string): ReadonlyArray<string> {
  return workspacePackages(root).flatMap(({ folder }) => {
    const src = path.join(folder, "src")
    const files = new Map(
      sourceFiles(folder, "src").map((file) => [path.relative(src, file).split(path.sep).join("/"), file] as const)
    )
    const sources = new Map([...files].map(([name, file]) => [name, readFileSync(file, "utf8")] as const))
    return folderViolations(roomsOf(sources)).map((violation) => `${shown(root, src)}: ${violation}`)
  })
}

/** Texts of sources by their path below `src`. */
export function roomsOf(sources: ReadonlyMap<string, string>): Rooms {
  const files = new Map<string, number>()
  const imports = new Map<string, Map<string, string>>()
  for (const [file, text] of sources) {
    const room = path.posix.dirname(file)
    if (room === ".") continue
    files.set(room, (files.get(room) ?? 0) + 1)
    for (const { specifier } of importsOf(file, text)) {
      if (!specifier?.startsWith(".")) continue
      const target = path.posix.join(room, specifier)
      const other = path.posix.dirname(target)
      if (other === "." || other === room || !sources.has(target)) continue
      const from = imports.get(room) ?? new Map<string, string>()
      if (!from.has(other)) from.set(other, `${file} imports ${target}`)
      imports.set(room, from)
    }
  }
  return { files, imports }
}

export function folderViolations({ files, imports }: Rooms): ReadonlyArray<string> {
  const piles = [...files].filter(([, count]) => count > most)
  return [
    ...piles.map(([room, count]) => `${room} has ${count} files, more than ${most}: part it by concept.`),
    ...circles(imports).map((circle) => `a circle of folders: ${steps(circle, imports).join("; ")}.`)
  ]
}

/** One circle for each room that is on one, each circle once; begins with the room whose name comes first. */
function circles(imports: Rooms["imports"]): ReadonlyArray<ReadonlyArray<string>> {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const room of [...imports.keys()].toSorted()) {
    const circle = backTo(room, imports)
    const key = circle?.toSorted().join()
    if (circle !== undefined && key !== undefined && !found.has(key)) found.set(key, circle)
  }
  return [...found.values()]
}

/** The shortest way from a room back to itself. */
function backTo(room: string, imports: Rooms["imports"]): ReadonlyArray<string> | undefined {
  const seen = new Set<string>()
  let ways: ReadonlyArray<ReadonlyArray<string>> = [[room]]
  while (ways.length > 0) {
    const next: Array<ReadonlyArray<string>> = []
    for (const way of ways) {
      for (const other of imports.get(way.at(-1) ?? "")?.keys() ?? []) {
        if (other === room) return way
        if (!seen.has(other)) next.push([...way, other])
        seen.add(other)
      }
    }
    ways = next
  }
  return undefined
}

const steps = (circle: ReadonlyArray<string>, imports: Rooms["imports"]): ReadonlyArray<string> =>
  circle.map((room, at) => imports.get(room)?.get(circle[(at + 1) % circle.length] ?? "") ?? room)
