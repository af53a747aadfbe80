/**
 * Where the programs keep their histories on this computer: told by the shape of folders, not by a list of editors.
 *
 * Every editor that is built as VS Code is has `User/globalStorage`, whatever it is called and wherever it runs: installed,
 * portable, in Flatpak or Snap, on a server, or on the Windows side of WSL. Folders are listed, and no file is opened but the
 * settings of an editor, which may name another place.
 */
import { Machine } from "@belay/machine"
import * as Result from "effect/Result"
import { realpathSync, statSync } from "node:fs"
import * as path from "node:path"
import * as Agent from "./Agent.ts"
import * as Folder from "./Folder.ts"
import { fieldsOf, text } from "./internal/fields.ts"
import * as Files from "./internal/files.ts"
import { parse, textOf } from "./internal/json.ts"
import * as Layout from "./internal/layout.ts"

/** Names a folder in which a program keeps its history. */
export interface Place {
  readonly agent: Agent.Agent
  readonly path: string
}

/** Describes the computer that is looked at, so that a test can look at another one. */
export interface Computer {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: NodeJS.Platform
  /** What lies outside of the home: where WSL has the disks of Windows, and where images of code-server have their data. */
  readonly mounts?: string
  readonly data?: string
}

/** The computer of this process. */
export const here = (): Computer => ({
  env: process.env,
  home: Machine.home(),
  platform: process.platform,
  mounts: "/mnt",
  data: "/config/data"
})

const inside = (folder: string): ReadonlyArray<string> => Files.names(folder).map((name) => Files.at(folder, name))

/** Folders with a folder for each editor. */
const desktops = ({ env, home, mounts, platform }: Computer): ReadonlyArray<string> => {
  const own = {
    win32: env["APPDATA"] ?? Files.at(home, "AppData", "Roaming"),
    darwin: Files.at(home, "Library", "Application Support"),
    other: env["XDG_CONFIG_HOME"] ?? Files.at(home, ".config")
  }
  if (platform === "win32" || platform === "darwin") return [own[platform]]
  return [
    own.other,
    ...inside(Files.at(home, ".var", "app")).map((app) => Files.at(app, "config")),
    ...inside(Files.at(home, "snap")).map((app) => Files.at(app, "current", ".config")),
    ...windowsHomes(mounts).map((user) => Files.at(user, "AppData", "Roaming"))
  ]
}

/** Homes of Windows, as WSL sees them. */
const windowsHomes = (mounts: string | undefined): ReadonlyArray<string> =>
  mounts === undefined
    ? []
    : inside(mounts)
        .filter((drive) => /^[a-z]$/u.test(path.basename(drive)))
        .flatMap((drive) => inside(Files.at(drive, "Users")))

/** Folders with `User` in them. */
const editors = (computer: Computer): ReadonlyArray<string> => {
  const { data, env, home } = computer
  const portable = env["VSCODE_PORTABLE"]
  const agentFolder = env["VSCODE_AGENT_FOLDER"]
  const share = env["XDG_DATA_HOME"] ?? Files.at(home, ".local", "share")
  const servers = Files.names(home).filter((name) => /^\..*-(?:server|remote)(?:-|$)/u.test(name))
  return [
    ...desktops(computer).flatMap(inside),
    ...(portable === undefined ? [] : [Files.at(portable, "user-data")]),
    ...(agentFolder === undefined ? [] : [Files.at(agentFolder, "data")]),
    ...servers.map((name) => Files.at(home, name, "data")),
    Files.at(share, "code-server"),
    ...(data === undefined ? [] : [data])
  ]
}

/** Places that a person has chosen in the settings of an editor. Their comments are left out before they are read. */
const chosen = (editor: string): ReadonlyArray<Place> => {
  const found = Files.read(Files.at(editor, "User", "settings.json"))
  if (found._tag !== "Bytes") return []
  const value = parse(
    textOf(found.bytes)
      .replaceAll(/^\s*\/\/.*$/gmu, "")
      .replaceAll(/,(?=\s*[}\]])/gu, "")
  )
  const settings = fieldsOf(Result.isSuccess(value) ? value.success : undefined)
  const names = [
    ["roo", "roo-cline.customStoragePath"],
    ["zoo", "zoo-code.customStoragePath"],
    ["kilo", "kilo-code.customStoragePath"]
  ] as const
  return names.flatMap(([agent, name]) => {
    const folder = text(settings[name])
    return folder === undefined || folder.trim() === "" ? [] : [{ agent, path: folder }]
  })
}

/** The folders of extensions in a storage: known by their names, or by what they hold. */
const extensions = (storage: string): ReadonlyArray<Place> =>
  inside(storage).flatMap((folder): ReadonlyArray<Place> => {
    const known = Agent.ofFolder(path.basename(folder))
    if (known !== undefined) return [{ agent: known, path: folder }]
    return Layout.of(Files.at(folder, "tasks")) === "tasks" && inside(Files.at(folder, "tasks")).some(Layout.holdsTask)
      ? [{ agent: "roo", path: folder }]
      : []
  })

/** The histories of extensions in a storage of an editor. */
export const beside = (storage: string): ReadonlyArray<Place> => extensions(storage).filter(isPlace)

/** ms since 1970: when a task was begun or deleted in a place last, at the earliest. */
export const changedAt = (place: Place): number =>
  Math.max(
    ...Folder.within(place.path).map((root) => {
      const stat = Result.try(() => statSync(root))
      return Result.isSuccess(stat) ? Math.floor(stat.success.mtimeMs) : 0
    })
  )

const storages = (editor: string): ReadonlyArray<string> => [
  Files.at(editor, "User", "globalStorage"),
  ...inside(Files.at(editor, "User", "profiles")).map((profile) => Files.at(profile, "globalStorage"))
]

/** Folders of programs that run in a terminal. */
const terminals = ({ env, home, mounts }: Computer): ReadonlyArray<Place> => {
  const data = env["CLINE_DATA_DIR"] ?? Files.at(env["CLINE_DIR"] ?? Files.at(home, ".cline"), "data")
  const sessions = env["CLINE_SESSION_DATA_DIR"]
  const share = env["XDG_DATA_HOME"] ?? Files.at(home, ".local", "share")
  return [
    { agent: "cline", path: data },
    ...(sessions === undefined ? [] : [{ agent: "cline" as const, path: sessions }]),
    { agent: "claude", path: env["CLAUDE_CONFIG_DIR"] ?? Files.at(home, ".claude") },
    { agent: "codex", path: env["CODEX_HOME"] ?? Files.at(home, ".codex") },
    { agent: "opencode", path: Files.at(share, "opencode") },
    { agent: "kilo", path: Files.at(share, "kilo") },
    { agent: "pi", path: env["PI_CODING_AGENT_DIR"] ?? Files.at(home, ".pi", "agent") },
    ...windowsHomes(mounts).flatMap((user): ReadonlyArray<Place> => [
      { agent: "cline", path: Files.at(user, ".cline", "data") },
      { agent: "claude", path: Files.at(user, ".claude") },
      { agent: "codex", path: Files.at(user, ".codex") },
      { agent: "pi", path: Files.at(user, ".pi", "agent") },
      { agent: "opencode", path: Files.at(user, ".local", "share", "opencode") }
    ])
  ]
}

const real = (folder: string): string => {
  const found = Result.try(() => realpathSync(folder))
  return Result.isSuccess(found) ? found.success : folder
}

/** It has a folder in which tasks may be, or may not be looked into. */
const isPlace = ({ path: folder }: Place): boolean =>
  Files.isDenied(folder) ||
  ["tasks", "sessions", "projects", "archived_sessions"].some((name) => Files.isFolder(real(Files.at(folder, name)))) ||
  ["sessions", "messages"].includes(Layout.of(folder) ?? "")

/**
 * The folders of this computer's user that hold tasks, each once. `beside` are further folders of extensions, such as the
 * one that holds the caller's own.
 */
export const find = (beside: ReadonlyArray<string> = [], computer: Computer = here()): ReadonlyArray<Place> => {
  const found = editors(computer)
  const all = [
    ...beside.flatMap(extensions),
    ...found.flatMap(storages).flatMap(extensions),
    ...found.flatMap(chosen),
    ...terminals(computer)
  ]
  const known = new Map(all.filter(isPlace).map((place) => [real(place.path), place]))
  // A program can keep what its older versions had beside what it has now.
  return [...known.values()].flatMap((place): ReadonlyArray<Place> => {
    const roots = Folder.within(place.path)
    return roots.length > 1 ? roots.map((root) => ({ agent: place.agent, path: root })) : [place]
  })
}

/** The places in a folder that a person names: itself, a storage of an editor, or a home. */
export const within = (named: string): ReadonlyArray<Place> => {
  const [root = named] = Folder.within(named)
  const layout = Layout.of(root)
  if (layout !== undefined) {
    return [{ agent: Folder.agentOf(layout, root), path: named }]
  }
  return find([named], { env: {}, home: named, platform: "linux" })
}
