/**
 * Confinement on macOS: a seatbelt profile for `/usr/bin/sandbox-exec`, which applies to everything that a command starts.
 *
 * Guarantees, by the profile: writes only in the workspace and a folder of temporary files that is removed afterwards;
 * no protected name at any depth, whether it exists or not; of the home folder tool chains alone are read; no socket of a
 * service; no network but loopback, which test suites need: macOS has no network of a command's own, so what listens there
 * is reached, and the proxy for listed hosts (`OpenedHosts`) with it.
 * The last rule that matches holds.
 */
import { SearchPath } from "@belay/approval-policy/facts"
import { Machine } from "@belay/machine"
import { ProtectedPath } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Network, node } from "../../web/Network.ts"
import * as AddedFolders from "./AddedFolders.ts"
import type { Added } from "./AddedFolders.ts"
import * as Aftermath from "./Aftermath.ts"
import type { BoxJournal } from "./BoxJournal.ts"
import * as Bash from "../process/Bash.ts"
import * as CommandLimits from "./CommandLimits.ts"
import * as HiddenPlaces from "./HiddenPlaces.ts"
import * as ProtectedTree from "./ProtectedTree.ts"
import * as Sandbox from "./Sandbox.ts"
import * as ToolChains from "./ToolChains.ts"

/** Whoever can write it needs no sandbox. */
const systems = "/usr/bin/sandbox-exec"

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

/** A name in either case: the file systems of macOS do not tell them apart. */
const eitherCase = (name: string): string =>
  name.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&").replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

/** Any path with this name, or these names in a row, as a component. */
const anywhere = (name: string): string => `#"/${eitherCase(name)}(/|$)"`

const startOfName = (name: string): string => `#"/${eitherCase(name)}"`

/** The protected names that are patterns. */
const patterns: ReadonlyArray<string> = [
  ...[".clinerules", ".roorules", ".aider"].map(startOfName),
  `#"${eitherCase(".code-workspace")}(/|$)"`
]

/**
 * What ordinary test suites and tools need beside files, and for what. Where xcrun keeps which git and clang it found stays
 * read-only: whoever writes there decides what the person's next one runs.
 */
const ordinary: ReadonlyArray<string> = [
  // Python's multiprocessing and joblib make semaphores.
  "(allow ipc-posix-sem ipc-posix-shm)",
  // `<(...)`, `tee /dev/stderr`, and prompts that read the terminal.
  '(allow file-read* file-write* (regex #"^/dev/fd/[0-9]+$") (literal "/dev/tty"))',
  // script, tmux and node-pty open a terminal of their own: those of the person, in which passwords are typed, stay closed.
  "(allow pseudo-tty)",
  '(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))',
  '(deny file-read-data file-write* (regex #"^/dev/ttys[0-9]+$"))',
  '(allow file-read* file-write* file-ioctl (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
  // The language and the formats of the person, and no settings of programs: those may hold secrets.
  '(allow user-preference-read (preference-domain "kCFPreferencesAnyApplication"))'
]

/** A server and its client in one test: loopback by name, since an address makes the whole profile unreadable. */
const loopback = (workspace: string, temporary: string): ReadonlyArray<string> => [
  '(allow network-bind network-inbound (local ip "localhost:*"))',
  '(allow network-outbound (remote ip "localhost:*"))',
  ...[workspace, temporary].map(
    (folder) =>
      `(allow network* (local unix-socket (subpath ${quoted(folder)})) (remote unix-socket (subpath ${quoted(folder)})))`
  )
]

export interface Profile {
  readonly workspace: string
  readonly temporary: string
  /** Of which only what is open, or was named and allowed, is read; none where it is the workspace itself. */
  readonly home: string | undefined
  readonly open: ReadonlyArray<string>
  readonly named: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
  /** Hidden even where a tool chain is open: our own data. */
  readonly sealed?: ReadonlyArray<string>
  readonly writesGit: boolean
  /** Folders beside the workspace that the user opened. */
  readonly added?: ReadonlyArray<Added>
}

/** All paths absolute and resolved: seatbelt compares them so. */
export const profile = (place: Profile): string => {
  const { added = [], hidden, home, named, open, sealed = [], temporary, workspace, writesGit } = place
  const regexes = ProtectedPath.protectedNames
    .filter((name) => !(writesGit && name === ".git"))
    .concat(writesGit ? ProtectedTree.gitControls.map((name) => `.git/${name}`) : [])
    .map(anywhere)
  return [
    "(version 1)",
    "(deny default)",
    '(import "system.sb")',
    "(allow process-fork process-exec process-info* sysctl-read)",
    "(allow signal (target same-sandbox))",
    "(allow file-read*)",
    ...(home === undefined ? [] : [`(deny file-read* file-write* (subpath ${quoted(home)}))`]),
    // That it is there, and which links lead on, is no secret: every path through it is looked up so.
    ...(home === undefined ? [] : [`(allow file-read-metadata (subpath ${quoted(home)}))`]),
    ...[...open, ...named].map((file) => `(allow file-read* (subpath ${quoted(file)}))`),
    ...added.map((one) => `(allow file-read*${one.writable ? " file-write*" : ""} (subpath ${quoted(one.path)}))`),
    ...hidden.map((file) => `(deny file-read* file-write* (subpath ${quoted(file)}))`),
    // Some versions of languages live in the folder in which others keep what is secret.
    ...open
      .filter((file) => hidden.some((folder) => file.startsWith(`${folder}/`)))
      .map((file) => `(allow file-read* (subpath ${quoted(file)}))`),
    ...sealed.map((file) => `(deny file-read* file-write* (subpath ${quoted(file)}))`),
    `(allow file-read* file-write* (subpath ${quoted(workspace)}) (subpath ${quoted(temporary)}))`,
    ...[...hidden, ...(home === undefined ? [] : [home])]
      .filter((file) => file.startsWith(`${workspace}/`))
      .map((file) => `(deny file-read* file-write* (subpath ${quoted(file)}))`),
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))',
    ...ordinary,
    ...[...regexes, ...patterns].map((regex) => `(deny file-write* (regex ${regex}))`),
    `(deny file-write-unlink (literal ${quoted(workspace)}))`,
    "(deny network*)",
    ...loopback(workspace, temporary),
    ""
  ].join("\n")
}

/** The very profile, and the very bash: one that macOS cannot read is found before a command is. */
const works = (program: string, bash: string, place: Profile): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const args = ["-p", profile(place), bash, "--noprofile", "--norc", "-c", "exit 0"]
    childProcess.execFile(program, args, { cwd: place.workspace, timeout: 10_000, env: {} }, (error) => {
      const why = error?.message.trim().split("\n").at(-1) ?? ""
      resume(Effect.succeed(error === null ? undefined : `sandbox-exec does not work here: ${why}.`))
    })
  })

const real = (file: string): string => {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return file
  }
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), "belay-box-")))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
)

/** Nothing of it is loaded where no host is listed. */
const open = (domains: Sandbox.Request["allowedDomains"], network: Network) =>
  Effect.flatMap(
    Effect.promise(() => import("../../network/OpenedHosts.ts")),
    ({ atPort }) => atPort(domains, network)
  )

/** `program`: what applies the profile; the system's own unless a test gives another. */
export const make = (options: Sandbox.Options, journal: BoxJournal, program = systems): Sandbox.Platform => ({
  by: "seatbelt",
  version: (workspace) =>
    [os.release(), Bash.find(options.environment ?? process.env, workspace, { named: options.bash })].join(" "),
  probe: (workspace) => {
    const bash = Bash.find(options.environment ?? process.env, workspace, { named: options.bash })
    if (bash === undefined) return Effect.succeed("There is no bash outside the workspace.")
    const home = real(options.home ?? Machine.home())
    const place: Profile = {
      workspace,
      temporary: workspace,
      home: home === workspace ? undefined : home,
      open: [],
      named: [],
      hidden: HiddenPlaces.secrets(home, options.hidden ?? []).map((hidden) => hidden.path),
      writesGit: false
    }
    return Effect.matchEffect(ProtectedTree.scan(workspace), {
      onFailure: ({ message }) => Effect.succeed(message),
      onSuccess: () => works(program, bash, place)
    })
  },
  confine: Effect.fnUntraced(function* (request) {
    const temporary = yield* temporaryFolder
    // A folder that is moved to another name takes what it holds along: the profile does not see that.
    const { entry, setAside } = yield* Aftermath.begin(journal, request.workspace, false)
    const { added = [], workspace } = request
    const besides = yield* AddedFolders.open(journal, workspace, added, false)
    const home = real(options.home ?? Machine.home())
    const { allowedDomains } = request
    const opened = allowedDomains.length === 0 ? undefined : yield* open(allowedDomains, options.network ?? node)
    const text = profile({
      workspace: request.workspace,
      temporary,
      home: home === request.workspace ? undefined : home,
      open: ToolChains.within(
        home,
        [...SearchPath.folders(request.env["PATH"], request.workspace), path.dirname(process.execPath)],
        request.env
      ),
      named: request.files.filter(({ inside }) => !inside).map((fact) => fact.resolved),
      hidden: HiddenPlaces.secrets(home, options.hidden ?? []).map((hidden) => hidden.path),
      writesGit: request.writesGit,
      added: besides.folders,
      sealed: (options.hidden ?? []).map(real)
    })
    const inner = [request.program, ...CommandLimits.under(request.program, request.args)]
    return {
      program,
      args: ["-p", text, ...inner],
      env: { ...request.env, TMPDIR: temporary, ...opened?.env },
      started: (pid) => {
        entry.runs(pid)
        besides.runs(pid)
      },
      setAside: Effect.zipWith(setAside, besides.setAside, (own, others) => [...own, ...others]),
      ...(opened === undefined ? {} : { refused: opened.refused })
    }
  })
})
