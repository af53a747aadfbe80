/**
 * The keychain of the operating system through its own tool; a key goes to it on stdin, never among its arguments.
 *
 * macOS: `security -i`, which reads commands from stdin, see security(1). Linux: `secret-tool` of libsecret, see
 * secret-tool(1), where it is installed and somebody's session has a keyring. A tool that fails, or has not answered
 * after five seconds, has no key and keeps none. Windows: see `protectedData.ts`.
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import * as path from "node:path"
import * as ProtectedData from "./protectedData.ts"

export interface Keychain {
  /** In words, as the end of "in ...". */
  readonly name: string
  readonly get: (host: string) => string | undefined
  /** Whether it keeps the key now. */
  readonly set: (host: string, key: string) => boolean
  /** Whether there was one. */
  readonly remove: (host: string) => boolean
  /** Whether it can keep a key, where that is not known by its being there. */
  readonly works?: () => boolean
}

const run = (program: string, args: ReadonlyArray<string>, input?: string): string | undefined => {
  const { status, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: 5000,
    stdio: ["pipe", "pipe", "ignore"],
    ...(input === undefined ? {} : { input })
  })
  return status === 0 ? stdout : undefined
}

const service = "belay"

const found = (text: string | undefined): string | undefined => {
  const key = text?.trim()
  return key === "" ? undefined : key
}

const hex = (text: string): string => Buffer.from(text).toString("hex")

/** Hosts have no blanks or quotes, and the key goes in hex: nothing is left to quote. */
const mac = (program: string): Keychain => {
  const entry = (host: string) => ["-s", service, "-a", host]
  const get = (host: string) => found(run(program, ["find-generic-password", ...entry(host), "-w"]))
  return {
    name: "the keychain",
    get,
    set: (host, key) => {
      run(program, ["-i"], `add-generic-password -U ${entry(host).join(" ")} -X ${hex(key)}\n`)
      // In this mode the tool's exit code tells nothing.
      return get(host) === key
    },
    remove: (host) => run(program, ["delete-generic-password", ...entry(host)]) !== undefined
  }
}

const libsecret = (program: string): Keychain => {
  const entry = (host: string) => ["service", service, "host", host]
  const get = (host: string) => found(run(program, ["lookup", ...entry(host)]))
  return {
    name: "the keyring",
    get,
    set: (host, key) => run(program, ["store", `--label=Belay: ${host}`, ...entry(host)], key) !== undefined,
    remove: (host) => get(host) !== undefined && run(program, ["clear", ...entry(host)]) !== undefined
  }
}

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const tools = {
  darwin: { program: "/usr/bin/security", make: mac },
  linux: { program: "/usr/bin/secret-tool", make: libsecret }
} as const

/** Windows has it in the folder of the system, wherever that is. */
const powershell = (): string =>
  path.win32.join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "WindowsPowerShell", "v1.0", "powershell.exe")

/** Says which keychain is meant. */
export interface Place {
  readonly platform: NodeJS.Platform
  /** Its tool, absolute; the system's own by default. */
  readonly program?: string | undefined
  /** The data folder, absolute: Windows keeps its blobs there. */
  readonly directory: string
}

/** The keychain of a machine; `undefined` where there is no tool for one. Never found by PATH. */
export const find = ({ directory, platform, program }: Place): Keychain | undefined => {
  if (platform === "win32") {
    const tool = program ?? powershell()
    return isProgram(tool) ? ProtectedData.make(tool, directory) : undefined
  }
  if (platform !== "darwin" && platform !== "linux") return undefined
  const { make, program: usual } = tools[platform]
  const tool = program ?? usual
  return isProgram(tool) ? make(tool) : undefined
}
