import { type HistoryError, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import fs, { existsSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { layerReader, layerSqlite } from "./history.ts"
import { nameOf } from "../src/internal/process/cloudFolder.ts"
import { holding, ofLinux, ofMac } from "../src/internal/process/mounts.ts"
import { isOwnDisk, networkName, type Place } from "../src/internal/process/networkFileSystem.ts"
import { temporary } from "./temporary.ts"

const ext4 = 0xef53
const fuse = 0x65735546
const plan9 = 0x01021997

const mounted = (type: string, on = "/data", ...options: ReadonlyArray<string>) => ({ mount: { on, type, options } })
const linux = (type: number, wsl = false): Place => ({ platform: "linux", path: "/data", type, wsl })
const mac = (path: string): Place => ({ platform: "darwin", path, type: 0x6969, wsl: false })
const windows = (path: string): Place => ({ platform: "win32", path, type: 0x6969, wsl: false })

const verdicts: ReadonlyArray<readonly [Place, string | undefined]> = [
  [linux(ext4), undefined],
  [linux(0x9123683e), undefined],
  [linux(0x01021994), undefined],
  [linux(0x794c7630), undefined],
  [linux(fuse), undefined],
  [linux(0x6969), "NFS"],
  [linux(0x517b), "SMB"],
  [linux(0xff534d42), "CIFS"],
  [linux(0xff534d42 | 0), "CIFS"],
  [linux(0xfe534d42), "SMB2"],
  [linux(0x5346414f), "AFS"],
  [linux(0x73757245), "Coda"],
  [linux(plan9), undefined],
  [linux(plan9, true), "a drive of Windows"],
  [{ ...linux(fuse), ...mounted("fuse.sshfs") }, "sshfs"],
  [{ ...linux(fuse), ...mounted("fuse.rclone") }, "rclone"],
  [{ ...linux(fuse), ...mounted("fuse.gocryptfs") }, undefined],
  [{ ...linux(fuse), ...mounted("fuseblk") }, undefined],
  [{ ...linux(0), ...mounted("smb3") }, "smb3"],
  [{ ...linux(fuse), ...mounted("virtiofs") }, "virtiofs, a shared folder"],
  [{ ...linux(fuse), ...mounted("virtiofs", "/") }, undefined],
  [{ ...linux(plan9), ...mounted("9p") }, undefined],
  [{ ...linux(ext4), ...mounted("ext4") }, undefined],
  [mac("/Users/me/Library"), undefined],
  [{ ...mac("/Users/me/Library"), ...mounted("apfs", "/", "local", "journaled") }, undefined],
  [{ ...mac("/Volumes/work/x"), ...mounted("smbfs", "/Volumes/work", "nodev") }, "smbfs"],
  [{ ...mac("/Users/me/far"), ...mounted("macfuse", "/Users/me/far", "nodev") }, "macfuse"],
  [mac("/Volumes/disk"), undefined],
  [mac("/Network/Servers/x"), "a network folder"],
  [mac("/net/host/x"), "a network folder"],
  [windows("C:\\Users\\me"), undefined],
  [windows("\\\\?\\C:\\Users\\me"), undefined],
  [windows("\\\\.\\C:\\Users\\me"), undefined],
  [windows("\\\\server\\share\\me"), "a network share"],
  [windows("//server/share"), "a network share"],
  [windows("\\\\?\\UNC\\server\\share"), "a network share"],
  [windows("\\\\wsl.localhost\\Debian\\home"), "a network share"],
  [{ ...linux(0x6969), platform: "freebsd" }, undefined]
]

describe("a place", () => {
  it("is a network file system only when that is known", () => {
    for (const [place, name] of verdicts) {
      assert.strictEqual(networkName(place), name, `${place.platform} ${place.path} ${place.type.toString(16)}`)
    }
  })
})

describe("a disk of this machine", () => {
  it("is one that is known to be", () => {
    const own: ReadonlyArray<readonly [Place, boolean]> = [
      [{ ...linux(ext4), ...mounted("ext4") }, true],
      [{ ...linux(0), ...mounted("overlay", "/") }, true],
      [{ ...linux(plan9), ...mounted("9p") }, false],
      [{ ...linux(fuse), ...mounted("fuse.gocryptfs") }, false],
      [{ ...linux(fuse), ...mounted("virtiofs", "/") }, false],
      [{ ...linux(0), ...mounted("ocfs2") }, false],
      [linux(ext4), false],
      [{ ...mac("/Users/me"), ...mounted("apfs", "/", "local") }, true],
      [{ ...mac("/Volumes/x"), ...mounted("smbfs", "/Volumes/x") }, false],
      [mac("/Users/me"), false],
      [windows("C:\\Users\\me"), true],
      [windows("\\\\server\\share"), false]
    ]
    for (const [place, verdict] of own) assert.strictEqual(isOwnDisk(place), verdict, JSON.stringify(place))
  })

  it("is found by the innermost mount, and the last of several at one place", () => {
    const text = [
      "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw",
      "27 1 254:0 / / rw - ext4 /dev/vda rw",
      "30 27 0:40 / /srv/a\\040b rw - fuse.sshfs host:/x rw",
      "31 27 0:41 / /data rw - ext4 /dev/vdb rw",
      "32 27 0:42 / /data rw - nfs4 host:/y rw"
    ].join("\n")
    const on = (folder: string) => holding(ofLinux(text), folder)?.type
    assert.deepStrictEqual(["/srv/a b/c", "/srv/a", "/data", "/database"].map(on), [
      "fuse.sshfs",
      "ext4",
      "nfs4",
      "ext4"
    ])
    const mac = [
      "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)",
      "//me@nas/my work (1) on /Volumes/my work (1) (smbfs, nodev, nosuid, mounted by me)"
    ].join("\n")
    assert.deepStrictEqual(holding(ofMac(mac), "/Volumes/my work (1)/x"), {
      on: "/Volumes/my work (1)",
      type: "smbfs",
      options: ["nodev", "nosuid", "mounted by me"]
    })
    assert.strictEqual(holding(ofMac(mac), "/Users/me")?.type, "apfs")
  })
})

const clouds: ReadonlyArray<readonly [NodeJS.Platform, home: string, path: string, string | undefined]> = [
  ["darwin", "/Users/me", "/Users/me/Library/Mobile Documents/com~apple~CloudDocs/belay", "iCloud Drive"],
  ["darwin", "/Users/me", "/Users/me/Library/CloudStorage/OneDrive-Contoso/belay", "OneDrive"],
  ["darwin", "/Users/me", "/Users/me/Library/CloudStorage/GoogleDrive-me@example.com/My Drive", "Google Drive"],
  ["darwin", "/Users/me", "/Users/me/Library/CloudStorage/Dropbox/belay", "Dropbox"],
  ["darwin", "/Users/me", "/Users/me/Dropbox", "Dropbox"],
  ["darwin", "/Users/me", "/Users/me/Library/Application Support/belay", undefined],
  ["darwin", "/Users/me", "/Users/me/Library/CloudStorage", undefined],
  ["win32", "C:\\Users\\me", "C:\\Users\\me\\OneDrive\\belay", "OneDrive"],
  ["win32", "C:\\Users\\me", "C:\\Users\\ME\\onedrive - Contoso Ltd\\Documents", "OneDrive"],
  ["win32", "C:\\Users\\me", "C:\\Users\\me\\iCloudDrive\\x", "iCloud Drive"],
  ["win32", "C:\\Users\\me", "C:\\Users\\me\\Dropbox (Personal)\\x", "Dropbox"],
  ["win32", "C:\\Users\\me", "G:\\My Drive\\belay", "Google Drive"],
  ["win32", "C:\\Users\\me", "D:\\OneDrive\\belay", undefined],
  ["win32", "C:\\Users\\me", "C:\\Users\\me\\AppData\\Local\\belay", undefined],
  ["linux", "/people/me", "/people/me/Dropbox/belay", "Dropbox"],
  ["linux", "/people/me", "/people/me/work/Dropbox", undefined],
  ["linux", "/people/me", "/srv/Dropbox", undefined],
  ["linux", "/people/me", "/people/me/.local/share/belay", undefined]
]

describe("a folder that a cloud copies", () => {
  it("is told by its name, on each system by those that its clouds give", () => {
    for (const [platform, home, path, name] of clouds) assert.strictEqual(nameOf({ platform, home, path }), name, path)
  })

  it.live("is refused for a history with advice, and nothing is created there", () =>
    Effect.gen(function* () {
      const home = yield* temporary
      const before = process.env["HOME"]
      yield* Effect.acquireRelease(
        Effect.sync(() => void (process.env["HOME"] = home)),
        () => Effect.sync(() => (before === undefined ? delete process.env["HOME"] : (process.env["HOME"] = before)))
      )
      fs.mkdirSync(join(home, "Dropbox"))
      const directory = join(home, "Dropbox", "belay")
      const error = yield* refusal(layerSqlite({ directory, kind: "test" }))
      assert.strictEqual(error.reason, "network")
      assert.include(
        error.message,
        "it is in a folder that Dropbox copies, where a history can be damaged. Use a folder on a local disk"
      )
      assert.isFalse(existsSync(directory))
    })
  )
})

/** While it lasts, the file system of every folder is said to be this one. */
const everywhere = (type: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { statfsSync } = fs
      Object.assign(fs, { statfsSync: () => ({ type }) })
      syncBuiltinESMExports()
      return statfsSync
    }),
    (statfsSync) =>
      Effect.sync(() => {
        Object.assign(fs, { statfsSync })
        syncBuiltinESMExports()
      })
  )

type Opened = Layer.Layer<TaskHistory, HistoryError.HistoryError>

const refusal = (layer: Opened) => Effect.flip(Effect.provide(TaskHistory, layer))

describe("a history on a network file system", () => {
  it.live("is refused with advice, and nothing is created there", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporary, "not", "there")
      const refused = Effect.gen(function* () {
        yield* everywhere(0x6969)
        for (const layer of [layerSqlite, layerReader]) {
          const error = yield* refusal(layer({ directory, kind: "test" }))
          assert.strictEqual(error.reason, "network")
          assert.include(error.message, "a network file system (NFS)")
          assert.include(error.message, "Use a folder on a local disk")
        }
      })
      yield* Effect.scoped(refused)
      assert.isFalse(existsSync(directory))
      yield* everywhere(ext4)
      yield* Effect.asVoid(Effect.provide(TaskHistory, layerSqlite({ directory, kind: "test" })))
      assert.isTrue(existsSync(directory))
    })
  )
})
