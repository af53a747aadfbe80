import { ScriptedServer } from "@belay/testkit"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from "node:fs"
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const bin = path.resolve(import.meta.dirname, "..", "dist", "belay.js")
const nobody = 65534

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The built command, in a process of its own, without this process's settings. */
const belay = (
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  as: { readonly uid?: number; readonly node?: string; readonly entry?: string } = {}
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const { NODE_COMPILE_CACHE = "", PATH = "" } = process.env
    const { HOME = temporary, ...more } = env
    const child = spawn(as.node ?? process.execPath, [as.entry ?? bin, ...args], {
      env: { NODE_COMPILE_CACHE, PATH, ...(HOME === "" ? {} : { HOME }), ...more },
      cwd: workspace,
      stdio: ["ignore", "pipe", "pipe"],
      ...(as.uid === undefined ? {} : { uid: as.uid, gid: as.uid })
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })

const turns = Array.from({ length: 12 }, (_, index) => ({
  content: [
    { type: "tool_use" as const, name: "write_to_file", input: { path: `f${index}.txt`, content: "x".repeat(60_000) } }
  ]
}))

let temporary = ""
let workspace = ""
let server: ScriptedServer.ScriptedServer
let access: Record<string, string> = {}

beforeAll(async () => {
  temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), "belay-failures-")))
  workspace = path.join(temporary, "workspace")
  mkdirSync(workspace)
  server = await ScriptedServer.startServer({
    apiKey: "right-key",
    tasks: [{ match: { prompt: "Write much" }, shared: true, answers: turns }]
  })
  access = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "right-key",
    BELAY_HOME: path.join(temporary, "home")
  }
})

afterAll(async () => {
  await server.close()
  rmSync(temporary, { recursive: true, force: true })
})

/** One line on stderr that starts with `belay: `, ends with a period and says what it must. */
const isOneLine = (ran: Ran, code: number, says: RegExp): void => {
  const lines = ran.stderr.split("\n").filter((line) => line !== "")
  const ours = lines.filter((line) => line.startsWith("belay: "))
  assert.deepStrictEqual([ours.length, ran.code], [1, code], ran.stderr)
  assert.match(ours[0] ?? "", says)
  assert.match(ours[0] ?? "", /[.?]$|: belay task resume \S+$/)
  assert.notMatch(ran.stderr, /^\s+at /m)
}

describe.concurrent("bad input is told in one plain line, with the exit code of the contract", () => {
  it("no key", async () => {
    const { ANTHROPIC_API_KEY: _key, ...env } = access
    const home = path.join(temporary, "keyless")
    isOneLine(
      await belay(["run", "hi"], { ...env, BELAY_HOME: home }),
      4,
      /no key for 127\.0\.0\.1:\d+\. Run "belay auth", or set ANTHROPIC_API_KEY/
    )
    assert.isFalse(existsSync(home), "nothing is created without a key")
  })

  it("a wrong key", async () => {
    const ran = await belay(["run", "hi", "--output", "json"], { ...access, ANTHROPIC_API_KEY: "wrong-key-4711" })
    isOneLine(
      ran,
      4,
      /the service refused the key \(401, 127\.0\.0\.1:\d+\)\. Run "belay auth", or set another ANTHROPIC_API_KEY/
    )
    const object = JSON.parse(ran.stdout)
    assert.deepStrictEqual(
      [object.status, object.interruption.reason, object.error.tag],
      ["interrupted", "service", "ModelError"]
    )
    assert.notInclude(ran.stdout + ran.stderr, "wrong-key-4711")
  })

  it("a server that cannot be reached", async () => {
    // A port that nobody can listen at, since a connection has it.
    const connection = connect(server.port, "127.0.0.1")
    await once(connection, "connect")
    const ran = await belay(["run", "hi"], {
      ...access,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${connection.localPort}`
    })
    connection.destroy()
    isOneLine(ran, 4, /no answer from 127\.0\.0\.1:\d+.*Check the network and the base URL.*belay task resume/)
    // Nine tries for one reason are told once, and that they go on is no error.
    assert.deepStrictEqual(ran.stderr.match(/\S+ +\S+ {2}no answer .*Trying again.*/g)?.length, 1, ran.stderr)
    assert.match(ran.stderr, / wait .*Trying again in 1 s \(1 of 9\)\.\n/)
  })

  it("an unknown option, with the one that was meant", async () => {
    isOneLine(
      await belay(["run", "--aprovals", "all", "hi"], access),
      2,
      /unknown option --aprovals\. Did you mean --approvals\?/
    )
  })

  it("a prompt without run, with where it belongs", async () => {
    isOneLine(
      await belay(["fix the test"], access),
      2,
      /unknown command "fix the test"\. A prompt comes after run: belay run "fix the test"\.$/
    )
    const words = await belay(["fix", "the", "test", "--approvals", "edits"], access)
    isOneLine(words, 2, /unknown command "fix"\. A prompt comes after run: belay run "fix the test"/)
    // What a shell would read in it is not made into a command to type.
    isOneLine(await belay(["fix", "$(all)"], access), 2, /A prompt comes after run: belay run "\.\.\."/)
    isOneLine(await belay(["taks", "list"], access), 2, /unknown command "taks"\. Did you mean "belay task list"\?/)
    isOneLine(await belay(["task", "fix"], access), 2, /unknown command "task fix"\. See "belay --help"\./)
  })

  it("an unknown id", async () => {
    isOneLine(await belay(["task", "resume", "3g"], access), 2, /no task "3g"/)
  })

  it("a folder that does not exist", async () => {
    isOneLine(await belay(["run", "--cwd", "missing", "hi"], access), 2, /the workspace does not exist \(missing\)/)
  })

  it("a file in place of the folder", async () => {
    writeFileSync(path.join(workspace, "file"), "")
    isOneLine(await belay(["run", "--cwd", "file", "hi"], access), 2, /the workspace is not a folder \(file\)/)
  })

  it("approvals that are not valid", async () => {
    isOneLine(await belay(["run", "--approvals", '{"edit":"maybe"}', "hi"], access), 2, /approvals\.edit/)
  })

  it("commands of a later version and values that nothing takes are refused, not ignored", async () => {
    isOneLine(await belay(["task", "stats"], access), 2, /"belay task stats" is not in this version/)
    isOneLine(await belay(["run", "--completion", "maybe", "hi"], access), 2, /--completion cannot be "maybe"/)
    isOneLine(await belay(["run", "--sandbox", "maybe", "hi"], access), 2, /--sandbox cannot be "maybe"/)
    isOneLine(await belay(["run", "--input", "json", "hi"], access), 2, /--input cannot be "json"/)
    isOneLine(await belay(["run", "--input", "stream-json"], access), 2, /there is no prompt/)
    isOneLine(await belay(["task", "mode", "last", "fast"], access), 2, /the mode cannot be "fast"/)
    isOneLine(await belay(["task", "answer", "last", "--text", " "], access), 2, /there is no answer/)
  })
})

describe.concurrent("a history that cannot be used", () => {
  const damaged = (name: string, bytes: Buffer): string => {
    const home = path.join(temporary, name)
    mkdirSync(home, { recursive: true })
    writeFileSync(path.join(home, "belay.db"), bytes)
    return home
  }

  it("is refused and left byte-identical when it is damaged", async () => {
    const bytes = Buffer.from("this is no database ".repeat(400))
    const home = damaged("garbage", bytes)
    for (const args of [
      ["run", "hi"],
      ["task", "resume", "last"]
    ]) {
      isOneLine(await belay(args, { ...access, BELAY_HOME: home }), 5, /the history cannot be opened.*damaged/)
    }
    assert.deepStrictEqual(readFileSync(path.join(home, "belay.db")), bytes)
  })

  it("is refused when a page in its middle is damaged", async () => {
    const home = path.join(temporary, "page")
    await belay(["run", "Write much", "--max-requests", "3"], { ...access, BELAY_HOME: home })
    const file = path.join(home, "belay.db")
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 4096 * 3, 4096 * 4)
    writeFileSync(file, bytes)
    isOneLine(await belay(["run", "hi"], { ...access, BELAY_HOME: home }), 5, /damaged/)
    assert.deepStrictEqual(readFileSync(file), bytes)
  })

  it("stops the task when the disk is full, and goes on when there is room", async () => {
    const disk = path.join(temporary, "disk")
    mkdirSync(disk)
    const mount = (options: string) => {
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", disk], { encoding: "utf8" })
      assert.strictEqual(mounted.status, 0, mounted.stderr)
    }
    mount("size=700k")
    try {
      const env = { ...access, BELAY_HOME: path.join(disk, "home") }
      const ran = await belay(["run", "Write much", "--approvals", "all", "--output", "json"], env)
      isOneLine(ran, 5, /the history cannot be written to \(.*\): the disk is full\. Free space/)
      const stopped = JSON.parse(ran.stdout)
      assert.strictEqual(stopped.error.tag, "HistoryError")
      // With no room for anything, it cannot even be opened, for the same reason.
      rmSync(`${env.BELAY_HOME}/belay.db-shm`, { force: true })
      spawnSync("dd", ["if=/dev/zero", `of=${path.join(disk, "rest")}`, "bs=1k"])
      isOneLine(
        await belay(["task", "list"], env),
        5,
        /the history cannot be opened \(.*\): the disk is full\. Free space/
      )
      rmSync(path.join(disk, "rest"))
      mount("remount,size=32m")
      const again = await belay(
        ["task", "resume", "last", "--max-requests", `${turns.length}`, "--output", "json"],
        env
      )
      assert.strictEqual(again.code, 3, again.stderr)
      assert.isBelow(stopped.usage.requests, turns.length)
      assert.strictEqual(JSON.parse(again.stdout).usage.requests, turns.length)
    } finally {
      spawnSync("umount", [disk])
    }
  })
})

describe("as an ordinary user", () => {
  const isRoot = process.getuid?.() === 0
  /** A place that an ordinary user can reach, with the command and the Node that runs it. */
  const reachable = () => {
    const place = realpathSync(mkdtempSync(path.join(os.tmpdir(), "belay-user-")))
    chmodSync(place, 0o755)
    const node = path.join(place, "node")
    copyFileSync(process.execPath, node)
    cpSync(path.dirname(bin), path.join(place, "dist"), { recursive: true })
    writeFileSync(path.join(place, "package.json"), '{ "type": "module" }')
    return { place, as: { node, entry: path.join(place, "dist", "belay.js"), ...(isRoot ? { uid: nobody } : {}) } }
  }
  const closed = (folder: string): string => {
    mkdirSync(folder)
    if (isRoot) chownSync(folder, nobody, nobody)
    chmodSync(folder, 0o000)
    return folder
  }

  it.runIf(isRoot)(
    "without an entry and without HOME, as in a container, is told so, and needs one of both only for data",
    async () => {
      const { as, place } = reachable()
      try {
        const stranger = { ...as, uid: 12_345 }
        const none = { HOME: "", NODE_COMPILE_CACHE: "" }
        for (const words of [["task", "list"], ["doctor"], ["run", "hi"]]) {
          isOneLine(await belay(words, none, stranger), 2, /this user has no home folder.*Set HOME or BELAY_HOME/)
        }
        assert.deepInclude(await belay(["--version"], none, stranger), { code: 0, stderr: "" })
        assert.deepInclude(await belay(["run", "--help"], none, stranger), { code: 0, stderr: "" })
        const home = path.join(place, "home")
        mkdirSync(home)
        chownSync(home, 12_345, 12_345)
        const ran = await belay(
          ["run", "--cwd", home, "hi"],
          { ...access, ...none, BELAY_HOME: path.join(home, "b") },
          stranger
        )
        assert.notInclude(ran.stderr, "system error")
        assert.notInclude([2, 5], ran.code, ran.stderr)
      } finally {
        rmSync(place, { recursive: true, force: true })
      }
    }
  )

  it("a workspace and a data folder of mode 000 are each one plain line", async () => {
    const { as, place } = reachable()
    try {
      const env = { ...access, HOME: place }
      const folder = closed(path.join(place, "workspace"))
      isOneLine(await belay(["run", "--cwd", folder, "hi"], env, as), 2, /the workspace cannot be read/)
      const home = closed(path.join(place, "home"))
      const ran = await belay(["run", "--cwd", place, "hi"], { ...env, BELAY_HOME: home }, as)
      isOneLine(ran, 5, /the history cannot be opened.*permission denied/)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})
