/**
 * The file system of Windows or macOS over a folder of this machine: names fold, drives and shares are folders, links
 * hold what the platform would write in them.
 *
 * Guarantee: no call leaves the folder; `realpathSync.native` gives the spelling of the platform. Of what a program does
 * with files these calls are translated: those that take paths as their first arguments, and give descriptors or facts.
 */
import * as nodeFs from "node:fs"
import * as nodePath from "node:path"
import type { Machine } from "../Machine.ts"

export interface Options {
  readonly platform: NodeJS.Platform
  readonly path: nodePath.PlatformPath
  /** A folder of this machine, absolute and resolved. */
  readonly folder: string
  /** Short names that Windows keeps beside the long ones, without their folder. */
  readonly shortNames?: Readonly<Record<string, string>>
  /** Drives that stand for a folder, as of `subst`: "S:" for "C:\\work". */
  readonly drives?: Readonly<Record<string, string>>
  /** Told of each path before anything is done with it, as it was given, and of each place that a link on it leads to. */
  readonly onLook?: (call: string, file: string) => void
  /** The code of the error that a call ends with instead, if any: "EPERM". */
  readonly fault?: (call: string, file: string) => string | undefined
}

const mostLinks = 40

const errorOf = (code: string, call: string, file: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${call} '${file}'`), { code, syscall: call, path: file })

const fold = (name: string): string => name.normalize("NFC").toLowerCase()

/** A place on the volume: the spelling of the platform, and the file of this machine. */
interface Located {
  readonly spelt: string
  readonly real: string
}

const lstat = (file: string) => nodeFs.lstatSync(file, { throwIfNoEntry: false })

/** Calls by which of their first arguments are paths, and whether the last name of these is followed. */
const calls: Readonly<Record<string, readonly [paths: number, follow: boolean]>> = {
  accessSync: [1, true],
  chmodSync: [1, true],
  copyFileSync: [2, true],
  existsSync: [1, true],
  linkSync: [2, false],
  lstatSync: [1, false],
  mkdirSync: [1, false],
  mkdtempSync: [1, false],
  openSync: [1, true],
  opendirSync: [1, true],
  readFileSync: [1, true],
  readdirSync: [1, true],
  readlinkSync: [1, false],
  renameSync: [2, false],
  rmSync: [1, false],
  rmdirSync: [1, false],
  statSync: [1, true],
  unlinkSync: [1, false],
  utimesSync: [1, true],
  writeFileSync: [1, true]
}

/** Where the roots of the platform are kept: `C:\` in `C`, `\\server\share\` in `shares/server/share`, `/` at the top. */
const baseOf = (root: string, folder: string): string =>
  nodePath.join(
    folder,
    ...root
      .replace(/^[\\/]{2}/, "shares/")
      .replace(":", "")
      .split(/[\\/]/u)
  )

/** The name as it is stored, if it is there. */
const storedName = (folder: string, name: string): string | undefined => {
  if (lstat(nodePath.join(folder, name)) !== undefined) return name
  try {
    return nodeFs.readdirSync(folder).find((entry) => fold(entry) === fold(name))
  } catch {
    return undefined
  }
}

const walker = ({ drives = {}, folder, onLook, path, shortNames = {} }: Options) => {
  const rooted = (file: string): { readonly root: string; readonly names: ReadonlyArray<string> } => {
    const whole = path.resolve(file)
    const drive = Object.entries(drives).find(([name]) => fold(whole).startsWith(`${fold(name)}${path.sep}`))
    const meant = drive === undefined ? whole : path.join(drive[1], whole.slice(drive[0].length))
    const { root } = path.parse(meant)
    // A share is known in small letters, a drive in a capital one.
    const kept = root.startsWith("\\\\") ? root.toLowerCase() : root.toUpperCase()
    return { root: kept, names: meant.slice(root.length).split(path.sep) }
  }
  return (call: string, file: string, follow: boolean): Located => {
    let { names, root } = rooted(file)
    let spelt = root
    let real = baseOf(root, folder)
    let left = mostLinks
    const pending = names.toReversed()
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (name === "") continue
      const long = shortNames[name.toUpperCase()] ?? name
      const stored = storedName(real, long) ?? long
      const next = nodePath.join(real, stored)
      const isLast = pending.every((other) => other === "")
      if (lstat(next)?.isSymbolicLink() === true && (follow || !isLast)) {
        if (--left < 0) throw errorOf("ELOOP", call, file)
        const target = path.resolve(spelt, nodeFs.readlinkSync(next))
        onLook?.(call, target)
        ;({ names, root } = rooted(target))
        spelt = root
        real = baseOf(root, folder)
        pending.push(...names.toReversed())
        continue
      }
      spelt = path.join(spelt, stored)
      real = next
    }
    return { spelt, real }
  }
}

/** The machine whose files these are. */
export const machine = (options: Options): Machine => {
  const { fault, onLook, path, platform } = options
  const locate = walker(options)
  const looked = (call: string, file: string): void => {
    onLook?.(call, file)
    const code = fault?.(call, file)
    if (code !== undefined) throw errorOf(code, call, file)
  }
  const native = (file: string): string => {
    looked("realpathSync", file)
    const { real, spelt } = locate("realpathSync", file, true)
    if (lstat(real) === undefined) throw errorOf("ENOENT", "realpathSync", file)
    return spelt
  }
  const own = {
    realpathSync: Object.assign(native, { native }),
    symlinkSync: (target: string, file: string) => {
      looked("symlinkSync", file)
      nodeFs.symlinkSync(target, locate("symlinkSync", file, false).real)
    }
  }
  const translated = (name: string, [paths, follow]: readonly [number, boolean]) => {
    const call = Reflect.get(nodeFs, name)
    return (...given: ReadonlyArray<unknown>): unknown => {
      const args = given.map((value, index) => {
        if (index >= paths || typeof value !== "string") return value
        looked(name, value)
        return locate(name, value, follow).real
      })
      return Reflect.apply(call, nodeFs, args)
    }
  }
  const made = Object.fromEntries(Object.entries(calls).map(([name, how]) => [name, translated(name, how)]))
  return { platform, path, fs: { ...nodeFs, ...made, ...own } as typeof nodeFs }
}

/** The root of a drive or a share, made on this machine. */
export const makeRoot = (root: string, { folder }: Pick<Options, "folder">): void =>
  void nodeFs.mkdirSync(baseOf(root, folder), { recursive: true })
