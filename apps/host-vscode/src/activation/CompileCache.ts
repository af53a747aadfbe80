/**
 * Loads bundled files of this extension with what V8 compiled of them before: compiling them takes longer than running.
 *
 * What is kept is used for exactly the same source and the same V8, whole or not at all. It is written into a folder of
 * the data some seconds after it was loaded, once there is any data; without it everything is compiled anew. Node's own
 * cache is for a whole process: it would keep the files of all other extensions there, too.
 */
import { hash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { constants, Script } from "node:vm"

export interface CompileCache {
  /** What a file of the folder exports; what it requires from there is loaded in the same way. */
  readonly load: (name: string) => unknown
  /** Writes what was compiled anew, one file after the other; does so by itself after some seconds. */
  readonly keep: () => void
}

/** ms after the last file that was compiled, and between two that are written. */
const idle = 5000
const pause = 100

const seal = (data: Buffer): Buffer => hash("sha256", data, "buffer")

const sealed = 32

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

interface Fresh {
  readonly name: string
  readonly source: Buffer
  readonly script: Script
}

/** `data`: the data folder, which need not be there. */
export const from = (folder: string, data: string): CompileCache => {
  const kept = join(data, "cache", "editor")
  const modules = new Map<string, { exports: unknown }>()
  const fresh: Array<Fresh> = []
  let timer: NodeJS.Timeout | undefined

  const keep = (): void => {
    clearTimeout(timer)
    const next = existsSync(data) ? fresh.shift() : undefined
    if (next === undefined) return
    write(kept, next.name, next.source, next.script.createCachedData())
    timer = setTimeout(keep, pause).unref()
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
    clearTimeout(timer)
    timer = setTimeout(keep, idle).unref()
    return script
  }

  const load = (name: string): unknown => {
    const file = join(folder, name)
    // The editor looks for who asks for its API: that must be a file.
    const nodes = createRequire(file)
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
