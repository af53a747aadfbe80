/**
 * Bundled files of Node's own kind (CommonJS), loaded with what V8 compiled of them before: compiling them takes longer than
 * running. Written when they have run, what is kept holds the functions that were used; Node's own cache, written before,
 * holds none of them, and one for a whole process would take in files of others.
 *
 * Guarantees: what is kept is used for exactly the same source and the same V8, whole or not at all; it lies in the folder
 * `cache` of the data, for this user alone, and only once there is any data. Without it everything is compiled anew.
 *
 * @packageDocumentation
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { constants, Script } from "node:vm"
import { crc32 } from "node:zlib"

/** Loads bundled files of one folder, and keeps what was compiled of them. */
export interface CompileCache {
  /** What a file of the folder exports (`main.js`); what it requires from there is loaded in the same way. */
  readonly load: (name: string) => unknown
  /** Writes one of the files that were compiled anew, as far as it is compiled by now. False: there is none left, or no data. */
  readonly keep: () => boolean
}

/** Says which files are loaded, and where it is kept what was compiled of them. */
export interface Options {
  /** With the bundled files, absolute. */
  readonly folder: string
  /** The data folder, absolute, which need not be there. */
  readonly data: string
  /** What uses them: each use keeps its own, since each uses other functions of them. */
  readonly use: string
  /** Called after each file that is compiled anew. */
  readonly compiled?: () => void
}

/** Tells one content from another, and a file that was torn. It keeps nobody out: this user alone can write here. */
const seal = (content: Buffer): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(crc32(content))
  bytes.writeUInt32LE(content.length, 4)
  return bytes
}

const sealed = 8

const readKept = (file: string, source: Buffer): Buffer | undefined => {
  try {
    const kept = readFileSync(file)
    const data = kept.subarray(2 * sealed)
    const isOfSource = kept.subarray(0, sealed).equals(seal(source))
    return isOfSource && kept.subarray(sealed, 2 * sealed).equals(seal(data)) ? data : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all, and by this user alone. What cannot be written is compiled anew the next time. */
const write = (folder: string, name: string, source: Buffer, data: Buffer): void => {
  const temporary = join(folder, `${name}.${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(temporary, Buffer.concat([seal(source), seal(data), data]), { mode: 0o600 })
    renameSync(temporary, join(folder, name))
  } catch {
    // The start takes its time.
  }
}

/** Removes what was kept of files that are not there any more: another version has files of other names. */
const clear = (kept: string, folder: string): void => {
  try {
    for (const name of readdirSync(kept)) if (!existsSync(join(folder, name))) rmSync(join(kept, name), { force: true })
  } catch {
    // There is nothing kept yet.
  }
}

interface Fresh {
  readonly name: string
  readonly source: Buffer
  readonly script: Script
}

/** Makes a cache for one use of the files of a folder; nothing is read or written before `load` and `keep`. */
export const make = ({ compiled, data, folder, use }: Options): CompileCache => {
  const kept = join(data, "cache", use)
  const modules = new Map<string, { exports: unknown }>()
  const fresh: Array<Fresh> = []
  // An editor looks for who asks for its API: that must be a file of the folder.
  const nodes = createRequire(join(folder, "main.js"))

  const keep = (): boolean => {
    const next = existsSync(data) ? fresh.shift() : undefined
    if (next === undefined) return false
    write(kept, next.name, next.source, next.script.createCachedData())
    if (fresh.length === 0) clear(kept, folder)
    return true
  }

  const compile = (name: string, filename: string): Script => {
    const source = readFileSync(filename)
    const cachedData = readKept(join(kept, name), source)
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData === undefined ? {} : { cachedData })
    })
    if (cachedData !== undefined && script.cachedDataRejected !== true) return script
    fresh.push({ name, source, script })
    compiled?.()
    return script
  }

  const load = (name: string): unknown => {
    const file = join(folder, name)
    const known = modules.get(file) ?? nodes.cache[file]
    // What the entry has loaded is not loaded again.
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(file, module)
    const require = (id: string): unknown => (id.startsWith("./") ? load(id) : nodes(id))
    compile(name.replace("./", ""), file).runInThisContext()(module.exports, require, module, file, folder)
    return module.exports
  }
  return { load, keep }
}
