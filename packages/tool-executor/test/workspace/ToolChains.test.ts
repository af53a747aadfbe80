import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as ToolChains from "../../src/workspace/sandbox/ToolChains.ts"
import * as Workspace from "./fixtures/Workspace.ts"

/** A home with these files, and what of it is seen, relative to it. */
const seen = (files: Readonly<Record<string, string>>, searchPath: ReadonlyArray<string> = []) =>
  Effect.map(Workspace.make, ({ home }) => {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
      fs.writeFileSync(path.join(home, name), text)
    }
    const folders = searchPath.map((folder) => path.join(home, folder))
    const found = ToolChains.within(home, folders).map((file) => path.relative(home, file))
    return found.toSorted((left, right) => (left < right ? -1 : 1))
  })

describe("of a home folder", () => {
  it.effect("tool chains are seen, and nothing beside them", () =>
    Effect.gen(function* () {
      const files = {
        ".cargo/bin/cargo": "",
        ".cargo/credentials.toml": "",
        ".nvm/nvm.sh": "",
        ".aws/config": "",
        a: ""
      }
      assert.deepStrictEqual(yield* seen(files), [".cargo/bin", ".nvm"])
    })
  )

  it.effect("what lies on PATH is seen with what its programs load, and never the whole home", () =>
    Effect.gen(function* () {
      const files = { "t/bin/x": "", "t/lib/y": "", "t/auth": "", "bin/z": "", "lib/w": "", ".local/share/k": "" }
      const found = yield* seen(files, ["t/bin", "bin", ".local/bin", "."])
      assert.deepStrictEqual(found, ["bin", "t/bin", "t/lib"])
    })
  )

  it.effect("settings of git are seen where they hold nothing like a credential", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* seen({ ".gitconfig": "[user]\n\tname = a\n" }), [".gitconfig"])
      for (const text of [
        '[url "https://me:pw@example.com"]\n\tinsteadOf = x\n',
        "[http]\n\textraHeader = Authorization: x\n",
        "[github]\n\toauth-token = x\n"
      ]) {
        assert.deepStrictEqual(yield* seen({ ".gitconfig": text }), [], text)
      }
    })
  )

  it.effect("authorities that the environment names are seen by name and by link, and no key", () =>
    Effect.gen(function* () {
      const { home, outside } = yield* Workspace.make
      const write = (file: string, text: string) => {
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.writeFileSync(file, text)
        return file
      }
      const certificate = "-----BEGIN CERTIFICATE-----\n"
      const own = write(path.join(home, "certs", "own.pem"), certificate)
      write(path.join(home, "certs", "both.pem"), `${certificate}-----BEGIN PRIVATE KEY-----\n`)
      const other = write(path.join(outside, "other.pem"), certificate)
      const link = path.join(outside, "link.pem")
      fs.symlinkSync(own, link)
      const named = (at: string) => ToolChains.authorities({ SSL_CERT_FILE: at, CURL_CA_BUNDLE: at }, [home])
      assert.deepStrictEqual(named(path.dirname(own)), [own])
      assert.deepStrictEqual(named(link), [link, own])
      assert.deepStrictEqual(named(other), [])
      assert.deepStrictEqual(named("certs/own.pem"), [])
    })
  )
})
