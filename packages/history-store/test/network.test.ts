import { type HistoryError, layerReader, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import fs, { existsSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { layerSqlite } from "./history.ts"
import { networkName, type Place } from "../src/internal/volume.ts"
import { temporary } from "./temporary.ts"

const ext4 = 0xef53
const fuse = 0x65735546
const plan9 = 0x01021997

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
  [mac("/Users/me/Library"), undefined],
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
          assert.include(error.message, "Set BELAY_HOME to a folder on a local disk")
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
