/**
 * What a confined command must not see of the host: secrets of the home folder, and sockets to its services.
 *
 * Guarantees: every name in the home folder and in its `.config` that the policy asks for on reading is hidden, and so
 * are the folders where agents, browsers, package managers and clouds keep their keys; so is every socket file that a
 * process of this network namespace listens on.
 */
import { ProtectedPath } from "@belay/approval-policy"
import * as fs from "node:fs"
import * as path from "node:path"

/** Beyond what the policy knows by name; in the home folder. */
const keepers: ReadonlyArray<string> = [
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".cursor",
  ".continue",
  ".mozilla",
  ".thunderbird",
  ".docker",
  ".colima",
  ".lima",
  ".bitcoin",
  ".ethereum",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".composer/auth.json",
  ".config/Code",
  ".config/Code - Insiders",
  ".config/Cursor",
  ".config/VSCodium",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/composer/auth.json",
  ".config/doctl",
  ".config/heroku",
  ".config/hub",
  ".config/glab-cli",
  ".config/stripe",
  ".config/configstore",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/share/belay",
  ".vscode-server/data/User",
  "Library/Keychains",
  "Library/Cookies",
  "Library/Application Support"
]

export interface Hidden {
  /** Absolute and resolved. */
  readonly path: string
  readonly kind: "file" | "folder"
}

const look = (file: string): Hidden | undefined => {
  try {
    const real = fs.realpathSync.native(file)
    return { path: real, kind: fs.statSync(real).isDirectory() ? "folder" : "file" }
  } catch {
    return undefined
  }
}

const names = (folder: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

const isSecret = (name: string): boolean => ProtectedPath.match(name, "read")?.rule === "path.secret"

/** Each place once, links resolved. */
const found = (files: ReadonlyArray<string>): ReadonlyArray<Hidden> => {
  const all = files.map(look).filter((hidden) => hidden !== undefined)
  return [...new Map(all.map((hidden) => [hidden.path, hidden])).values()]
}

export const secrets = (home: string, further: ReadonlyArray<string>): ReadonlyArray<Hidden> => {
  const below = ["", ".config"].flatMap((folder) =>
    names(path.join(home, folder))
      .map((name) => path.join(folder, name))
      .filter(isSecret)
  )
  const known = [...below, ...ProtectedPath.secretNames, ...keepers].map((name) => path.join(home, name))
  return found([...known, ...further, "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private"])
}

/** The socket files of this network namespace. https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
export const sockets = (): ReadonlyArray<Hidden> => {
  try {
    const lines = fs.readFileSync("/proc/net/unix", "utf8").split("\n")
    return found(lines.map((line) => line.split(" ").slice(7).join(" ").trim()).filter((file) => file.startsWith("/")))
  } catch {
    return []
  }
}
