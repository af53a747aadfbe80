import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Confinement from "../../src/tool/Confinement.ts"
import * as CommandEnd from "../../src/workspace/command/CommandEnd.ts"
import * as BoxJournal from "../../src/workspace/sandbox/BoxJournal.ts"
import * as BoxLayout from "../../src/workspace/sandbox/BoxLayout.ts"
import type { Entry } from "../../src/workspace/sandbox/ProtectedTree.ts"
import * as Workspace from "./fixtures/Workspace.ts"
import * as Seatbelt from "../../src/workspace/sandbox/Seatbelt.ts"

const file = (path: string): readonly [string, Entry] => [path, { path, kind: "file", target: "" }]

const place = (more: Partial<BoxLayout.Place>): BoxLayout.Place => ({
  workspace: "/u/me/ws",
  cwd: "/u/me/ws",
  homes: [],
  files: [],
  writesGit: false,
  protectedTree: new Map(),
  hidden: [],
  placeholders: [],
  ...more
})

const shown = (layout: ReadonlyArray<BoxLayout.Mount>) => layout.map((mount) => `${mount.kind} ${mount.path}`)

describe("the mounts of a box", () => {
  it("make every folder above a protected name a mount of its own, outermost first", () => {
    const layout = BoxLayout.of(place({ protectedTree: new Map([file("/u/me/ws/a/b/package.json")]) }))
    assert.deepStrictEqual(shown(layout), [
      "writable /u/me/ws",
      "writable /u/me/ws/a",
      "writable /u/me/ws/a/b",
      "readonly /u/me/ws/a/b/package.json"
    ])
  })

  it("hide what lies around the workspace before it, and what lies in it after it", () => {
    const hidden = ["/u/me/ws/.ssh", "/u/me", "/u/me/ws/.ssh/agent", "/run/docker.sock"]
    const layout = BoxLayout.of(place({ hidden: hidden.map((path) => ({ path, kind: "folder" })) }))
    assert.deepStrictEqual(shown(layout), ["empty /u/me", "writable /u/me/ws", "empty /u/me/ws/.ssh"])
  })

  it("empty a home before a workspace in it, after one around it, and not when it is the workspace itself", () => {
    const homes = [{ path: "/u/me", open: ["/u/me/.nvm"] }]
    const hidden = [{ path: "/u/me/.ssh", kind: "folder" as const }]
    const home = ["private /u/me", "readonly /u/me/.nvm"]
    assert.deepStrictEqual(shown(BoxLayout.of(place({ homes, hidden }))), [...home, "writable /u/me/ws"])
    const around = BoxLayout.of(place({ workspace: "/u", cwd: "/u", homes, hidden }))
    assert.deepStrictEqual(shown(around), ["writable /u", ...home])
    const itself = BoxLayout.of(place({ workspace: "/u/me", cwd: "/u/me", homes, hidden }))
    assert.deepStrictEqual(shown(itself), ["writable /u/me", "empty /u/me/.ssh"])
  })

  it("open folders that were added before a workspace in one of them, with what is protected or secret in them closed", () => {
    const homes = [{ path: "/u/me", open: [] }]
    const hidden = [{ path: "/u/me/.ssh", kind: "folder" as const }]
    const lib = { path: "/u/me/lib", writable: true, protectedTree: new Map([file("/u/me/lib/package.json")]) }
    const added = [
      { ...lib, placeholders: ["/u/me/lib/.git"] },
      { path: "/u/me", writable: false, protectedTree: new Map(), placeholders: [] }
    ]
    assert.deepStrictEqual(shown(BoxLayout.of(place({ homes, hidden, added }))), [
      "private /u/me",
      "readonly /u/me",
      "writable /u/me/lib",
      "readonly /u/me/lib/package.json",
      "empty /u/me/lib/.git",
      "writable /u/me/ws",
      "empty /u/me/.ssh"
    ])
  })

  it("make whole folders read-only where there are too many protected names, never fewer of them", () => {
    const names = Array.from({ length: 500 }, (_, index) => `/u/me/ws/fixtures/${index}/package.json`)
    const layout = BoxLayout.of(place({ protectedTree: new Map(names.map(file)) }))
    assert.deepStrictEqual(shown(layout), ["writable /u/me/ws", "readonly /u/me/ws/fixtures"])
  })

  it("open nothing of the system, nothing hidden and no private folder, whatever the rules allowed by name", () => {
    const names = ["/etc/hosts", "/proc/sys/vm/swappiness", "/tmp", "/u/me", "/", "/u/me/.ssh/config", "/u/me/notes"]
    const fileOf = (resolved: string, access: "read" | "write") => ({
      given: resolved,
      displayed: resolved,
      resolved,
      access,
      inside: false,
      kind: "file" as const,
      links: 1,
      insensitive: false,
      relative: ""
    })
    const files = [
      ...names.map((name) => fileOf(name, "read")),
      fileOf("/srv/log", "write"),
      fileOf("/u/me/log", "write")
    ]
    const homes = [{ path: "/u/me", open: ["/u/me/.nvm"] }]
    const layout = BoxLayout.of(place({ files, homes, hidden: [{ path: "/u/me/.ssh", kind: "folder" }] }))
    const home = ["private /u/me", "readonly /u/me/.nvm"]
    assert.deepStrictEqual(shown(layout), [...home, "readonly /u/me/notes", "writable /u/me/ws"])
  })
})

/** The rule that decides about a write, as seatbelt reads the profile: the last that matches. */
const writes = (profile: string, path: string): boolean => {
  let allowed = false
  for (const [, verdict, operations = "", rest = ""] of profile.matchAll(
    /^\((allow|deny) ([a-z*? -]+?) ?(\(.*)?\)$/gm
  )) {
    if (!/(?:^| )(?:file-write\*|default)/.test(operations)) continue
    const isIn = [...rest.matchAll(/\((subpath|literal) "([^"]*)"\)/g)].some(
      ([, kind, root = ""]) => path === root || (kind === "subpath" && path.startsWith(`${root}/`))
    )
    const matches = [...rest.matchAll(/\(regex #"([^"]*)"\)/g)].some(([, source = ""]) => new RegExp(source).test(path))
    if (operations === "default" || isIn || matches) allowed = verdict === "allow"
  }
  return allowed
}

describe("the profile of seatbelt", () => {
  const given = {
    workspace: "/u/me/ws",
    temporary: "/private/x",
    hidden: ["/u/me/.ssh", "/u/me/ws/.env"],
    home: "/u/me",
    open: ["/u/me/.nvm"],
    named: ["/u/me/notes.txt"],
    writesGit: false
  }
  const profile = Seatbelt.profile(given)

  it("allows writes in the workspace and its own temporary folder only", () => {
    for (const path of ["/u/me/ws/a", "/u/me/ws/src/b/c", "/private/x/t"]) {
      assert.isTrue(writes(profile, path), path)
    }
    for (const path of ["/u/me/a", "/u/me/notes.txt", "/u/me/wsx/a", "/etc/hosts", "/u/me/.ssh/id", "/u/me/ws/.env"]) {
      assert.isFalse(writes(profile, path), path)
    }
  })

  it("opens folders that were added, and closes what is secret or protected in them", () => {
    const added = ["/u/me/lib", "/u/me/docs"].map((path, at) => ({ path, writable: at === 0 }))
    const opened = Seatbelt.profile({ ...given, hidden: [...given.hidden, "/u/me/lib/.ssh"], added })
    const allowed = ["/u/me/lib/a", "/u/me/docs/a", "/u/me/lib/package.json", "/u/me/lib/.ssh/id"]
    assert.deepStrictEqual(
      allowed.map((path) => writes(opened, path)),
      [true, false, false, false]
    )
    assert.include(opened, '(allow file-read* (subpath "/u/me/docs"))')
  })

  it("denies every protected name in the workspace, in any case and at any depth", () => {
    const names = [
      "package.json",
      "a/PACKAGE.json",
      ".git/hooks/x",
      ".GIT",
      "x/.vscode/y",
      "AGENTS.md",
      ".github/workflows/a"
    ]
    for (const name of [...names, "node_modules/.bin/tsc", ".clinerules-code", "my.code-workspace"]) {
      assert.isFalse(writes(profile, `/u/me/ws/${name}`), name)
    }
  })

  it("opens the data of git to an allowed git command, not its hooks and settings", () => {
    const git = Seatbelt.profile({ ...given, writesGit: true })
    assert.isTrue(writes(git, "/u/me/ws/.git/index"))
    for (const name of ["config", "hooks/pre-commit", "commondir", "modules/a/config"]) {
      assert.isFalse(writes(git, `/u/me/ws/.git/${name}`), name)
    }
  })

  it("starts from nothing, and ends with loopback and the sockets of its own folders as its only network", () => {
    assert.match(profile, /^\(version 1\)\n\(deny default\)\n/)
    const network = profile.split("\n").filter((line) => line.includes("network"))
    assert.deepStrictEqual(network, [
      "(deny network*)",
      '(allow network-bind network-inbound (local ip "localhost:*"))',
      '(allow network-outbound (remote ip "localhost:*"))',
      '(allow network* (local unix-socket (subpath "/u/me/ws")) (remote unix-socket (subpath "/u/me/ws")))',
      '(allow network* (local unix-socket (subpath "/private/x")) (remote unix-socket (subpath "/private/x")))'
    ])
    // An address makes macOS refuse the whole profile.
    assert.notMatch(profile, /ip "(?!localhost:|\*:)/)
  })

  it("gives test suites semaphores and terminals of their own, and writes nothing else outside", () => {
    assert.include(profile, "(allow ipc-posix-sem ipc-posix-shm)")
    assert.include(profile, "(allow pseudo-tty)")
    for (const file of ["/dev/fd/3", "/dev/tty", "/dev/ptmx"]) {
      assert.isTrue(writes(profile, file), file)
    }
    // Of all terminals those alone that it has opened itself.
    const terminals = profile.split("\n").filter((line) => line.includes("/dev/ttys"))
    assert.deepStrictEqual(
      terminals.map((line) => [line.slice(1, 6).trim(), line.includes('(extension "com.apple.sandbox.pty")')]),
      [
        ["deny", false],
        ["allow", true]
      ]
    )
    assert.notInclude(profile, "(allow user-preference-read)")
    for (const file of [
      "/dev/disk0",
      "/dev/fd/x",
      "/private/var/folders/a1/b2/T/other",
      "/private/var/folders/a1/b2/T/xcrun_db-x",
      "/private/tmp/x",
      "/dev/ttys"
    ]) {
      assert.isFalse(writes(profile, file), file)
    }
  })

  it("reads a tool chain that lies in a hidden folder, and never our own data there", () => {
    const library = "/u/me/Library/Application Support"
    const text = Seatbelt.profile({
      ...given,
      hidden: [library],
      open: [`${library}/fnm/node-versions/v24`],
      sealed: [`${library}/belay`]
    }).split("\n")
    const at = (line: string) => text.lastIndexOf(line)
    const deny = at(`(deny file-read* file-write* (subpath "${library}"))`)
    const open = at(`(allow file-read* (subpath "${library}/fnm/node-versions/v24"))`)
    assert.isAbove(open, deny)
    assert.isAbove(at(`(deny file-read* file-write* (subpath "${library}/belay"))`), open)
  })

  it.effect("is tried as it is before a command is: one that cannot be read leaves no box", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const fake = path.join(workspace.outside, "sandbox-exec")
      const said = path.join(workspace.outside, "said")
      fs.writeFileSync(fake, `#!/bin/sh\nprintf '%s' "$2" > "${said}"\nshift 2\nexec "$@"\n`, { mode: 0o755 })
      const journal = BoxJournal.make(undefined)
      const probe = (program: string) => Seatbelt.make({ home: "/u/me" }, journal, program).probe(workspace.root)
      assert.isUndefined(yield* probe(fake))
      assert.include(fs.readFileSync(said, "utf8"), `(subpath "${workspace.root}")`)
      fs.writeFileSync(fake, "#!/bin/sh\necho 'sandbox-exec: unbound variable' >&2\nexit 65\n")
      assert.strictEqual(yield* probe(fake), "sandbox-exec does not work here: sandbox-exec: unbound variable.")
    })
  )

  it("takes no path for a part of the profile", () => {
    assert.include(Seatbelt.profile({ ...given, workspace: '/a"b\\c' }), '(subpath "/a\\"b\\\\c")')
  })
})

describe("what a confined command that failed is told of its box", () => {
  const noted = (confined: Confinement.By | undefined) =>
    CommandEnd.notes(
      { confined, isWhole: true, leftovers: false, outlived: false, refused: [], setAside: [] },
      { allowedDomains: [], end: { _tag: "Exited", code: 1 }, failed: true }
    )

  it("is true of the box of its system: on macOS /tmp is that of everybody, and closed", () => {
    assert.deepStrictEqual(noted("bubblewrap"), [
      "[It ran in a sandbox: no network, writes only in the workspace. If it needs more, ask the user.]"
    ])
    assert.deepStrictEqual(noted("seatbelt"), [
      "[It ran in a sandbox: no network, writes only in the workspace and $TMPDIR (not /tmp). If it needs more, ask the user.]"
    ])
    assert.deepStrictEqual(noted(undefined), [])
  })
})
