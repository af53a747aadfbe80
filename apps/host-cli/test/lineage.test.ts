/** Which processes belong to a task, by what the system tells of those above them. */
import { assert, describe, it } from "vitest"
import * as Belonging from "../src/lineage/Belonging.ts"
import { fromPs, type Kin, type Look } from "../src/lineage/Kin.ts"

const kin = (pid: number, parent: number, more: Partial<Kin> = {}): Kin => ({
  pid,
  parent,
  group: pid,
  session: pid,
  hasTerminal: false,
  startedAt: 100_000,
  isMarked: false,
  argv: ["x"],
  ...more
})

const first = kin(1, 0, { group: 0, session: 0, startedAt: 0, argv: ["/sbin/init"] })
const nobody: Look = () => undefined
const known: Belonging.Known = { owners: [{ pid: 50, since: 90_000 }], calls: [[99_000, 101_000]] }

describe("a process belongs to a task", () => {
  it("when it or one above it carries the mark", () => {
    assert.isTrue(Belonging.isMarked([kin(9, 8, { isMarked: true }), first], nobody))
    assert.isTrue(Belonging.isMarked([kin(9, 8), kin(8, 1, { isMarked: true }), first], nobody))
    assert.isFalse(Belonging.isMarked([kin(9, 8), kin(8, 1), first], nobody))
  })

  it("when what leads its session or its group does", () => {
    const leader: Look = (pid) => (pid === 7 ? kin(7, 1, { isMarked: true }) : undefined)
    assert.isTrue(Belonging.isMarked([kin(9, 1, { session: 7 }), first], leader))
    assert.isTrue(Belonging.isMarked([kin(9, 1, { group: 7 }), first], leader))
  })

  it("when one above it runs a task, and not because it runs one itself", () => {
    const run = kin(8, 1, { argv: ["node", "/opt/belay.js", "run", "Work"] })
    assert.isTrue(Belonging.isMarked([kin(9, 8), run, first], nobody))
    assert.isFalse(Belonging.isMarked([run, first], nobody))
    // It starts the process of a run, and runs none itself.
    const detaching = (...words: ReadonlyArray<string>) =>
      kin(8, 1, { argv: ["node", "/opt/belay.js", "run", ...words] })
    assert.isFalse(Belonging.isMarked([kin(9, 8), detaching("--detach", "Work"), first], nobody))
    assert.isTrue(Belonging.isMarked([kin(9, 8), detaching("--", "--detach"), first], nobody))
    assert.isFalse(Belonging.isMarked([kin(9, 8), kin(8, 1, { argv: ["belay", "demo"] }), first], nobody))
  })

  it("not because of a program that starts the run of a person", () => {
    const self = kin(9, 8, { argv: ["node", "/opt/belay.js", "run", "Work"] })
    for (const words of [
      ["timeout", "60", "belay"],
      ["sudo", "-u", "me", "/usr/bin/belay"],
      ["bash", "/opt/bin/belay"],
      ["timeout", "60", "node", "/opt/belay.js"],
      ["timeout", "60", "/usr/bin/node", "--no-warnings", "/opt/belay.js"],
      ["python3", "try.py", "--", "node", "/opt/belay.js"],
      ["node", "/opt/yarn.js", "belay"]
    ]) {
      const starter = kin(8, 1, { argv: [...words, "run", "Work"] })
      assert.isFalse(Belonging.isMarked([self, starter, first], nobody), words.join(" "))
    }
    for (const words of [
      ["/opt/my apps/node", "--no-warnings", "/opt/belay.js"],
      // As ps of macOS tells of it.
      ["/opt/my", "apps/node", "--no-warnings", "/opt/belay.js"],
      ["node", "--import", "./first.mjs", "/opt/belay.js"],
      ["./tools/nodejs", "belay.js"],
      ["/opt/node24", "/opt/belay.js"],
      ["belay"]
    ]) {
      const run = kin(8, 1, { argv: [...words, "run", "Work"] })
      assert.isTrue(Belonging.isMarked([self, run, first], nobody), words.join(" "))
    }
  })

  it("when a process that runs tasks has started it as the leader of its group", () => {
    const owner = kin(50, 1, { startedAt: 80_000 })
    assert.isTrue(Belonging.isKnown([kin(9, 50), owner, first], known))
    assert.isFalse(Belonging.isKnown([kin(9, 50, { group: 50 }), owner, first], known), "of the group of its parent")
    const later = kin(50, 1, { startedAt: 99_500, hasTerminal: true })
    assert.isFalse(
      Belonging.isKnown([kin(9, 50, { hasTerminal: true }), later, first], known),
      "the number of one that is gone"
    )
  })

  it("when it was cut off from what started it while a call ran, and has no terminal", () => {
    assert.isTrue(Belonging.isKnown([kin(9, 1), first], known))
    assert.isTrue(Belonging.isKnown([kin(10, 9, { startedAt: 500_000 }), kin(9, 1), first], known))
    const home = kin(30, 1, { startedAt: 10, argv: ["/usr/lib/systemd/systemd", "--user"] })
    assert.isTrue(Belonging.isKnown([kin(9, 30), home, first], known))
    assert.isFalse(Belonging.isKnown([kin(9, 1, { hasTerminal: true }), first], known))
    assert.isFalse(
      Belonging.isKnown([kin(9, 1, { startedAt: 10_000 }), first], known),
      "as cron is, older than the call"
    )
    assert.isFalse(
      Belonging.isKnown([kin(9, 1, { session: 0 }), first], known),
      "a script that is the first process runs it"
    )
  })
})

describe("what ps of macOS prints", () => {
  it("tells of each process, and of a mark in its environment", () => {
    const look = fromPs(
      [
        "    1     0     1 ??       Mon Nov 23 01:58:44 2026     /sbin/launchd",
        "  812     1   812 ttys001  Mon Nov 23 02:00:01 2026     /bin/bash -c x BELAY_TASK=01a HOME=/Users/me",
        "  813   812   812 ttys001  Mon Nov  3 02:00:02 2026     belay trust BELAY_TASK="
      ].join("\n")
    )
    assert.deepInclude(look(812), { parent: 1, group: 812, session: 812, hasTerminal: true, isMarked: true })
    assert.deepInclude(look(813), { parent: 812, group: 812, isMarked: false })
    assert.deepInclude(look(1), { hasTerminal: false, startedAt: new Date("Mon Nov 23 01:58:44 2026").getTime() })
    assert.isUndefined(look(2))
  })
})
