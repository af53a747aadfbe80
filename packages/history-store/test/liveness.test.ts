import type { OwnerRow } from "@belay/history-store"
import { assert, describe, it } from "vitest"
import { type Facts, judge } from "../src/internal/process/liveness.ts"
import { of, type System } from "../src/internal/process/machine.ts"

const me: OwnerRow = {
  ownerId: "me",
  machineId: "m",
  bootId: "b2",
  pidNamespace: "pid:[1]",
  pid: 1,
  kind: "cli",
  host: "desk"
}

const verdict = (of: Partial<Facts> & { readonly row?: Partial<OwnerRow> }): string => {
  const { row, ...facts } = of
  const found = judge({
    me,
    other: { ...me, ownerId: "other", ...row },
    lock: "free",
    pidIsGone: () => false,
    ownDisk: () => true,
    ...facts
  })
  return found._tag === "Unknown" ? found.why : found._tag
}

const locks = ["mine", "held", "free", "absent", "unclear"] as const

describe("an owner", () => {
  it("that holds its lock lives, wherever it says it runs", () => {
    for (const lock of ["mine", "held"] as const) {
      for (const row of [{}, { machineId: "n" }, { bootId: "b1" }, { pidNamespace: "pid:[2]" }, { host: "lap" }]) {
        assert.strictEqual(verdict({ lock, row }), "Alive")
      }
    }
  })

  it("of this start of the machine is dead when its lock is free, or gone with its process", () => {
    assert.deepStrictEqual(
      locks.map((lock) => verdict({ lock })),
      ["Alive", "Alive", "Dead", "noLock", "noLock"]
    )
    assert.strictEqual(verdict({ lock: "absent", pidIsGone: () => true }), "Dead")
    assert.strictEqual(verdict({ ownDisk: () => false }), "Dead")
  })

  it("of an earlier start of this machine is dead when its lock is free on a disk of this machine", () => {
    const row = { bootId: "b1" }
    assert.deepStrictEqual(
      locks.map((lock) => verdict({ lock, row, pidIsGone: () => true })),
      ["Alive", "Alive", "Dead", "noLock", "noLock"]
    )
    assert.strictEqual(verdict({ row, ownDisk: () => false }), "sharedDisk")
    assert.strictEqual(verdict({ row: { ...row, host: "lap" } }), "otherHost")
    assert.strictEqual(verdict({ row: { ...row, pidNamespace: "pid:[2]" } }), "otherContainer")
    assert.strictEqual(verdict({ row: { ...row, machineId: "n" } }), "otherMachine")
    assert.strictEqual(verdict({ row: { bootId: "" } }), "otherMachine")
  })

  it("of another machine or container is not judged by its free lock, nor by an id of a process", () => {
    for (const lock of ["free", "absent", "unclear"] as const) {
      assert.strictEqual(verdict({ lock, row: { machineId: "n" }, pidIsGone: () => true }), "otherMachine")
      assert.strictEqual(verdict({ lock, row: { pidNamespace: "pid:[2]" }, pidIsGone: () => true }), "otherContainer")
    }
  })

  it("is judged on a machine that its network has renamed; not where only the name tells the machine", () => {
    const mac = { ...me, pidNamespace: "" }
    const other = { ...mac, ownerId: "other", bootId: "b1", host: "cafe" }
    assert.strictEqual(verdict({ me: mac, other }), "Dead")
    const nameless = { ...mac, machineId: "desk" }
    assert.strictEqual(verdict({ me: nameless, other: { ...nameless, bootId: "b1", host: "cafe" } }), "otherHost")
  })
})

const none = () => {
  throw new Error("there is none")
}

const system = (of: Partial<System>): System => ({
  platform: "linux",
  read: none,
  link: none,
  run: none,
  hostname: () => "desk",
  ...of
})

const files = (all: Record<string, string>) => (file: string) => all[file] ?? none()

describe("the id of a machine", () => {
  it("is what the system keeps, on every platform; the name of the host only without it", () => {
    const id = "0123456789abcdef0123456789abcdef"
    const boot = { "/proc/sys/kernel/random/boot_id": "b\n" }
    const linux = system({ read: files({ ...boot, "/etc/machine-id": `${id}\n` }), link: () => "pid:[4]" })
    assert.deepStrictEqual(of(linux), { machineId: id, bootId: "b", pidNamespace: "pid:[4]", host: "desk" })
    const older = files({ ...boot, "/etc/machine-id": "uninitialized\n", "/var/lib/dbus/machine-id": id })
    assert.strictEqual(of(system({ read: older })).machineId, id)
    assert.strictEqual(of(system({ read: files(boot) })).machineId, "desk")

    const asked = (program: string) =>
      program.endsWith("ioreg")
        ? '+-o J314  <class IOPlatformExpertDevice>\n    {\n      "IOPlatformUUID" = "564D-0A"\n    }\n'
        : program.endsWith("reg.exe")
          ? "\r\nHKEY_LOCAL_MACHINE\\...\r\n    MachineGuid    REG_SZ    4f-11\r\n"
          : "B00T\n"
    const mac = system({ platform: "darwin", run: asked })
    assert.deepStrictEqual(of(mac), { machineId: "564D-0A", bootId: "B00T", pidNamespace: "", host: "desk" })
    const windows = system({ platform: "win32", run: asked })
    assert.deepStrictEqual(of(windows), { machineId: "4f-11", bootId: "", pidNamespace: "", host: "desk" })
    for (const platform of ["darwin", "win32"] as const) {
      assert.strictEqual(of(system({ platform })).machineId, "desk")
    }
  })
})
