/**
 * Windows keeps keys in a file that only their user can read back, on this machine: encrypted by the data protection of
 * the system (DPAPI), for one host each. A blob that is moved to another host in the file gives nothing.
 *
 * The system's own PowerShell does it: what it runs is always the same text, and what is to be protected goes to it on
 * stdin, never among its arguments. One that is not there, is restricted or has not answered after 15 seconds has no key
 * and keeps none. https://learn.microsoft.com/dotnet/api/system.security.cryptography.protecteddata
 */
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import * as KeyFile from "./keyFile.ts"

/** Without double quotes, which a command line of Windows would have to carry. Three lines come in: what, for which, of what. */
const script = [
  "$ErrorActionPreference = 'Stop'",
  "Add-Type -AssemblyName System.Security",
  "$what, $for, $data = [Console]::In.ReadToEnd().Trim().Split([char]10)",
  "$entropy = [Convert]::FromBase64String($for.Trim())",
  "$bytes = [Convert]::FromBase64String($data.Trim())",
  "$scope = [Security.Cryptography.DataProtectionScope]::CurrentUser",
  "if ($what.Trim() -eq 'protect') { $out = [Security.Cryptography.ProtectedData]::Protect($bytes, $entropy, $scope) }",
  "else { $out = [Security.Cryptography.ProtectedData]::Unprotect($bytes, $entropy, $scope) }",
  "[Console]::Out.Write([Convert]::ToBase64String($out))"
]
  .join("; ")
  .replace("; else", " else")

/** PowerShell takes long where a scanner looks at it first. In ms. */
const timeout = 15_000

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/** Base64 in, base64 out. */
const asked = (program: string, what: "protect" | "unprotect", host: string, data: string): string | undefined => {
  const { status, stdout } = spawnSync(program, ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script], {
    encoding: "utf8",
    timeout,
    windowsHide: true,
    stdio: ["pipe", "pipe", "ignore"],
    input: `${what}\n${base64(`belay ${host}`)}\n${data}\n`
  })
  const said = stdout?.trim() ?? ""
  return status === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(said) ? said : undefined
}

const protect = (program: string, host: string, key: string) => asked(program, "protect", host, base64(key))

const unprotect = (program: string, host: string, blob: string): string | undefined => {
  const found = asked(program, "unprotect", host, blob)
  return found === undefined ? undefined : Buffer.from(found, "base64").toString("utf8")
}

const own = (keys: KeyFile.Keys, host: string): string | undefined =>
  Object.hasOwn(keys, host) ? keys[host] : undefined

/** The keychain of Windows, with its file in a folder. */
export const make = (program: string, directory: string) => {
  const file = path.join(directory, "keys.protected.json")
  const blobs = () => KeyFile.read(file)
  return {
    name: `${file}, protected by Windows`,
    works: () => {
      const blob = protect(program, "a probe", "works")
      return blob !== undefined && unprotect(program, "a probe", blob) === "works"
    },
    get: (host: string) => {
      const blob = own(blobs(), host)
      return blob === undefined ? undefined : unprotect(program, host, blob)
    },
    set: (host: string, key: string) => {
      const blob = protect(program, host, key)
      if (blob === undefined || unprotect(program, host, blob) !== key) return false
      KeyFile.write(file, { ...blobs(), [host]: blob })
      return true
    },
    remove: (host: string) => {
      const all = blobs()
      if (own(all, host) === undefined) return false
      KeyFile.write(file, Object.fromEntries(Object.entries(all).filter(([name]) => name !== host)))
      return true
    }
  }
}
