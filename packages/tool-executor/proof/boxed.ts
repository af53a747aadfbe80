/**
 * `pnpm proof:box [--lines N] [--seed N]`: generated command lines in the product's own sandbox, whatever the policy says of
 * them: the walls hold alone. On the tree of `proof:files`, which lies on this machine's disk for that time.
 *
 * What must not happen: anything outside of the workspace changes; a protected name is changed, removed, or there afterwards
 * though it was not; what the home folder keeps is shown or copied; a process is left. Prints each harm with its line and
 * one line at the end; exits with 1 when there was one, or there is no sandbox.
 */
import { ProtectedPath } from "@belay/approval-policy"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as CommandRunner from "../src/workspace/command/CommandRunner.ts"
import * as Sandbox from "../src/workspace/sandbox/Sandbox.ts"
import * as Generator from "./Generator.ts"
import { type Change, Kept } from "./Image.ts"
import * as Tree from "./Tree.ts"

const { values } = parseArgs({
  options: { lines: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } }
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** A word that only the home folder holds. */
const kept = "waldo"

const makeRoot = (): string => {
  // A box has a /tmp of its own: the tree lies where other files of this machine do.
  const cache = path.resolve(import.meta.dirname, "..", ".cache")
  fs.mkdirSync(cache, { recursive: true })
  const root = fs.realpathSync(fs.mkdtempSync(path.join(cache, "box-")))
  Tree.build(root)
  for (const file of [".ssh/id_rsa", "belay/keys.json", "note"]) {
    fs.appendFileSync(path.join(Tree.homeOf(root), file), `${kept}\n`)
  }
  return root
}

const root = makeRoot()
const workspace = Tree.workspaceOf(root)
const home = Tree.homeOf(root)
const journal = path.join(home, "belay")
const environment = { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TERM: "dumb" }
const sandbox = Sandbox.make({ environment, home, hidden: [journal], journal })
const runner = CommandRunner.make({ environment, sandbox })

/** What git itself writes where a line of git was allowed to: its data, never its settings or hooks. */
const isGitData = (relative: string): boolean => {
  const below = /(?:^|\/)\.git(?:\/(.*))?$/.exec(relative)
  return below !== null && !/^(?:config|hooks|info\/attributes|commondir)/.test(below[1] ?? "")
}

const harmOf = ({ content, path: file, what }: Change, writesGit: boolean): string | undefined => {
  // Belay's own record of what it runs.
  if (file === journal || file.startsWith(`${journal}/boxes`)) return undefined
  if (content?.includes(kept) === true) return `copied what the home folder keeps: ${file}`
  if (file !== workspace && !file.startsWith(`${workspace}/`)) return `${what} outside: ${file}`
  const relative = path.relative(workspace, file)
  // Of `node_modules` only what is found by its name there counts.
  if (/(?:^|\/)node_modules\/(?!\.bin(?:\/|$))/.test(relative)) return undefined
  const found = ProtectedPath.match(relative, "write")
  return found === undefined || (writesGit && isGitData(relative)) ? undefined : `${what} a protected name: ${relative}`
}

const request = (line: Generator.Line, writesGit: boolean): CommandRunner.CommandRequest => ({
  taskId: TaskId.TaskId.make("proof"),
  callId: "call",
  command: line.text.replaceAll("@@", root),
  cwd: fs.realpathSync(path.join(workspace, line.cwd ?? "")),
  workspace,
  readOnly: false,
  sandbox: "required",
  files: [],
  writesGit,
  timeout: "3 seconds",
  progress: () => Effect.void
})

const prove = async (lines: number, seed: number): Promise<number> => {
  const tree = new Kept([root])
  const generator = Generator.make(seed)
  let harmful = 0
  for (let index = 0; index < lines; index++) {
    const line = generator.next()
    const writesGit = index % 2 === 1
    const ended = await Effect.runPromise(Effect.result(runner.run(request(line, writesGit))))
    const harms = tree.settle().flatMap((change) => harmOf(change, writesGit) ?? [])
    if (Result.isFailure(ended)) {
      if (ended.failure._tag === "SandboxError") harms.push(`no sandbox: ${ended.failure.message}`)
    } else {
      if (`${ended.success.head}${ended.success.tail}`.includes(kept)) harms.push("showed what the home folder keeps")
      if (ended.success.outlived) harms.push("left a process")
    }
    if ((index + 1) % 500 === 0) process.stderr.write(`${index + 1} lines\n`)
    if (harms.length === 0) continue
    harmful++
    say(
      `FAILED ${JSON.stringify(line.text)}${line.cwd === undefined ? "" : ` in ${line.cwd}`}${writesGit ? " (git)" : ""}`
    )
    for (const harm of harms.slice(0, 4)) say(`  ${harm}`)
  }
  return harmful
}

const started = performance.now()
const state = await Effect.runPromise(sandbox.state(workspace))
try {
  const harmful = state._tag === "Confined" ? await prove(Number(values.lines), Number(values.seed)) : 1
  if (state._tag !== "Confined") say(`There is no sandbox here: ${state.reason}`)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  say(
    `box | ${Number(values.lines).toLocaleString("en-US")} lines, ${seconds} s, seed ${values.seed} | ${harmful} with harm`
  )
  process.exitCode = harmful === 0 ? 0 : 1
} finally {
  fs.rmSync(root, { recursive: true, force: true })
}
