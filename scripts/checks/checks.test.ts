import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { effectDiagnostics, supported } from "../effect-diagnostics.ts"
import { changesetViolations } from "./changesets.ts"
import { checkGit, gitViolations } from "./git.ts"
import { checkLockfile, lockfileViolations } from "./lockfile.ts"
import { sentencesOf, sentencesOfManifest } from "./messages.ts"
import { provisionViolations } from "./provision.ts"
import { commandViolations, wordViolations } from "./words.ts"

const root = path.resolve(import.meta.dirname, "..", "..")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

describe("checkLockfile", () => {
  it("accepts this repository's lockfile", () => assert.deepStrictEqual(checkLockfile(root), []))

  it("catches a platform package that was dropped", () => {
    const lockfile = read("pnpm-lock.yaml").replace(/^ {2}'@turbo\/windows-arm64@[\s\S]*?\n\n/m, "")
    assert.match(lockfileViolations(lockfile).join(), /turbo@[\d.]+ has no @turbo\/windows-arm64/)
  })

  it("catches a host and a second effect", () => {
    const lockfile = read("pnpm-lock.yaml")
    assert.match(
      lockfileViolations(`${lockfile}\n    resolution: {tarball: https://example.test/a}\n`).join(),
      /a host/
    )
    const two = lockfile.replace(/^packages:\n/m, "packages:\n\n  effect@3.0.0:\n")
    assert.match(lockfileViolations(two).join(), /more than one effect/)
  })
})

describe("checkWords", () => {
  it("catches paths of a machine and hosts of registries", () => {
    for (const word of ["work/a", "root/.npmrc", "home/me"]) {
      assert.lengthOf(wordViolations(`see /${word}`), 1)
      assert.lengthOf(wordViolations(`"file:///${word}"`), 1)
    }
    assert.lengthOf(wordViolations(`https://${["registry", "npmjs", "org"].join(".")}/effect`), 1)
  })

  it("catches a command of one host in a text of a package, and not in a comment", () => {
    assert.lengthOf(commandViolations('const text = "See belay task show 1."'), 1)
    assert.lengthOf(commandViolations("const text = `Type \\`belay doctor\\`.`"), 1)
    assert.deepStrictEqual(commandViolations('/** `belay run` */\nconst a = ".belay is a folder" // belay run'), [])
  })

  it("lets folders of those names inside other paths pass", () => {
    assert.deepStrictEqual(wordViolations("src/work/a, ${x}/root/b, ~/home/c"), [])
  })
})

describe("the page of all sentences", () => {
  it("has every text of words, put together as it is said, and nothing that is not said", () => {
    const said = sentencesOf(
      "a.tsx",
      [
        'import { a } from "not a sentence"',
        "// not a sentence",
        'usage(`no task "${row.title}"`, "See the list. " + "Or " + name(id))',
        'const sql = "SELECT a FROM b WHERE c", names = "build test run start stop"',
        'const element = <p class="one two">Show <b title="The whole text">all of it</b></p>'
      ].join("\n")
    )
    assert.deepStrictEqual(said, ['no task "{title}"', "See the list. Or {id}", "The whole text", "all of it"])
    const others = sentencesOf(
      "b.ts",
      [
        'label("$(gear) Open the settings", "This server needs none", "Each block replaces every match")',
        'ask("Say what is done. Then do it.", "<!-- Keep this line. -->", "<b>not one</b>")',
        'shell("for a in b; do echo the end of it; done", "echo $(cat the file of it)")'
      ].join("\n")
    )
    assert.deepStrictEqual(others, [
      "Open the settings",
      "This server needs none",
      "Each block replaces every match",
      "Say what is done. Then do it.",
      "<!-- Keep this line. -->"
    ])
    const manifest = { contributes: { commands: [{ command: "a b", title: "New task" }] } }
    assert.deepStrictEqual(sentencesOfManifest(JSON.stringify(manifest)), ["New task"])
  })
})

describe("checkGit", () => {
  it("accepts the sources of this repository", () => assert.deepStrictEqual(checkGit(root), []))

  it("catches git that is started beside the runner", () => {
    const started = (text: string): ReadonlyArray<string> => gitViolations("a.ts", text)
    for (const line of [
      'childProcess.execFile("git", ["status"])',
      "spawnSync(`git.exe`, [])",
      'execSync("git status", { shell: true })',
      'spawn("/usr/bin/git", [])',
      'ProcessGroup.spawn({ program: "git", args: [] })',
      'findProgram("git", environment, workspace)',
      'import { spawn } from "node:child_process"\nspawn(`${folder}/git`, ["status"])',
      'import * as ProcessGroup from "./ProcessGroup.ts"\nconst program = "git"\nProcessGroup.spawn({ program })',
      'import { spawn } from "node:child_process"\nconst program = "git"\nspawn(program)',
      'const { execFile } = process.getBuiltinModule("node:child_process")\nexecFile(["git"][0])'
    ]) {
      assert.lengthOf(started(line), 1, line)
    }
  })

  it("lets names pass that start nothing", () => {
    assert.deepStrictEqual(gitViolations("a.ts", 'const rules = { git: 1 }\nif (name === "git") rules.get("git")'), [])
    assert.deepStrictEqual(gitViolations("a.ts", 'import "node:child_process"\nconst text = "look at .gitignore"'), [])
  })
})

describe("checkChangesets", () => {
  it("catches a package that is not published", () => {
    assert.deepStrictEqual(changesetViolations('---\n"@belay/a": minor\n---\n\nMore.\n', ["@belay/a"]), [])
    assert.lengthOf(changesetViolations('---\n"@belay/b": minor\n---\n\nMore.\n', ["@belay/a"]), 1)
    assert.lengthOf(changesetViolations('---\n"@belay/a": minor\n---\n', ["@belay/a"]), 1)
  })
})

describe("checkProvision", () => {
  const script = read("scripts/provision.cjs")
  const manifest = JSON.parse(read("package.json"))
  const nvmrc = read(".nvmrc").trim()

  it("catches another pnpm, another Node and a platform without a Node", () => {
    assert.deepStrictEqual(provisionViolations(script, manifest, nvmrc), [])
    assert.lengthOf(provisionViolations(script, manifest, "22.0.0"), 1)
    assert.lengthOf(provisionViolations(script, { ...manifest, packageManager: "pnpm@12.0.0" }, nvmrc), 1)
    assert.lengthOf(provisionViolations(script, { ...manifest, engines: { node: ">=20" } }, nvmrc), 1)
    assert.lengthOf(provisionViolations(script.replace('"darwin-arm64"', '"aix-ppc64"'), manifest, nvmrc), 1)
    assert.lengthOf(provisionViolations(script.replace('"sha512-3n', '"sha512-'), manifest, nvmrc), 1)
    assert.lengthOf(
      provisionViolations(script.replace('"@pnpm/exe.win32-arm64@', '"@pnpm/exe.win32@'), manifest, nvmrc),
      1
    )
  })
})

describe.skipIf(!supported)("effectDiagnostics", () => {
  const inProject = (config: object, text: string): ReadonlyArray<string> => {
    const folder = mkdtempSync(path.join(root, "node_modules", ".belay-"))
    try {
      writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ include: ["*.ts"], ...config }))
      writeFileSync(path.join(folder, "a.ts"), text)
      return effectDiagnostics(folder, "tsconfig.json", [path.join(folder, "a.ts")])
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const base = { extends: "../../tsconfig.base.json", compilerOptions: { noEmit: true } }
  const floating = 'import * as Effect from "effect/Effect"\nexport const f = () => {\n  Effect.succeed(1)\n}\n'

  it("fails when a file is not checked", () => {
    assert.match(inProject({}, floating).join(), /a\.ts was not checked/)
  })

  it("reports an Effect that is never run", () => {
    assert.match(inProject(base, floating).join(), /a\.ts:3:3 error floatingEffect/)
  })
})
