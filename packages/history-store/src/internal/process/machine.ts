/**
 * Which machine this is, and which of its starts: what an owner is known by after its process is gone.
 *
 * The name of the host stands in only where the system gives no id: macOS changes it with the network.
 */
import { readFileSync, readlinkSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** How the system is asked, so that every platform's answer can be given on any. */
export interface System {
  readonly platform: NodeJS.Platform
  readonly read: (file: string) => string
  readonly link: (file: string) => string
  readonly run: (program: string, args: ReadonlyArray<string>) => string
  readonly hostname: () => string
}

export interface Machine {
  readonly machineId: string
  /** Empty where the system has none. */
  readonly bootId: string
  /** Empty where the system has no containers. */
  readonly pidNamespace: string
  readonly host: string
}

const attempt = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ""
  }
}

/** https://www.freedesktop.org/software/systemd/man/latest/machine-id.html: "uninitialized" is one that is not set yet. */
const linuxId = ({ read }: System): string =>
  ["/etc/machine-id", "/var/lib/dbus/machine-id"]
    .map((file) => attempt(() => read(file)))
    .find((id) => /^[\da-f]{32}$/iu.test(id)) ?? ""

const macId = ({ run }: System): string =>
  /"IOPlatformUUID"\s*=\s*"([^"]+)"/u.exec(
    attempt(() => run("/usr/sbin/ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"]))
  )?.[1] ?? ""

const windowsId = ({ run }: System): string => {
  const reg = path.win32.join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "reg.exe")
  const args = ["query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid", "/reg:64"]
  return /MachineGuid\s+REG_SZ\s+(\S+)/u.exec(attempt(() => run(reg, args)))?.[1] ?? ""
}

const idOf = (system: System): string => {
  switch (system.platform) {
    case "linux":
      return linuxId(system)
    case "darwin":
      return macId(system)
    case "win32":
      return windowsId(system)
    default:
      return ""
  }
}

const bootOf = ({ platform, read, run }: System): string => {
  if (platform === "linux") return attempt(() => read("/proc/sys/kernel/random/boot_id"))
  return platform === "darwin" ? attempt(() => run("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"])) : ""
}

/** What a system says about itself. */
export const of = (system: System): Machine => {
  const host = system.hostname()
  return {
    machineId: idOf(system) || host,
    bootId: bootOf(system),
    pidNamespace: system.platform === "linux" ? attempt(() => system.link("/proc/self/ns/pid")) : "",
    host
  }
}

/** Loaded where it is asked, not by each thread that opens a history. */
export const run: System["run"] = (program, args) =>
  process.getBuiltinModule("node:child_process").execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 5000,
    windowsHide: true
  })

let known: Machine | undefined

/** This machine; asked once, because it takes a program on macOS and Windows. */
export const here = (): Machine =>
  (known ??= of({
    platform: process.platform,
    read: (file) => readFileSync(file, "utf8"),
    link: (file) => readlinkSync(file),
    run,
    hostname: os.hostname
  }))
