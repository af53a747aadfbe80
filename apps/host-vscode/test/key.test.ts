import { ScriptedServer } from "@belay/testkit"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

const key = 'sk-canary-1f0e"/+key'
const token = "ghp-canary-other-2b9d"
/** It is a key only after it was stored. */
const later = "sk-canary-later-6c3a"

/** As it is, as JSON, in a URL, and what of its base64 does not depend on what is around it. */
const formsOf = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  ...[0, 1, 2].map((before) =>
    Buffer.from(`${"-".repeat(before)}${value}`)
      .toString("base64")
      .slice(4, -4)
  )
]

const heldIn = (text: string, secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.flatMap(formsOf).filter((form) => text.includes(form))

/** The files below a folder, by name, that hold one of the secrets. */
const holding = (folder: string, secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => heldIn(readFileSync(file, "latin1"), secrets).length > 0)

const tellsAll = `The key is ${key}, the token ${token}.`

describe("the key", () => {
  let vs: VSCode.VSCode

  beforeAll(async () => {
    vs = await VSCode.open({
      key: null,
      env: { GITHUB_TOKEN: token },
      settings: {
        "belay.approvals.edit": "allow",
        "belay.approvals.commands": { allow: [], deny: [], other: "allow" }
      },
      files: { "config.txt": `key = ${key}\nother = ${Buffer.from(`x:${token}`).toString("base64")}\n` },
      tasks: [
        task(
          "Leak",
          {
            content: [
              { type: "text", text: `You said ${key}, encoded ${encodeURIComponent(key)}.` },
              { type: "tool_use", name: "read_file", input: { path: "config.txt" } }
            ]
          },
          use("execute_command", {
            command: `cat config.txt; echo "$GITHUB_TOKEN"; printf 'sk-canary-'; printf '1f0e"/+key'`
          }),
          use("list_files", { task_progress: `- [ ] use ${key}\n- [ ] and ${token}` }),
          completes(tellsAll),
          completes("Went on")
        ),
        task("Fail", { error: { status: 400, message: `bad: ${tellsAll}` } })
      ]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  const setKey = async (value: string) => {
    const stored = vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.setKey")))
    await vs.page.locator(".quick-input-widget", { hasText: new URL(vs.model.url).host }).waitFor()
    await vs.input(value)
    await stored
  }

  /** The task's id. */
  const start = (prompt: string): Promise<string> =>
    vs.host(async (vscode, text) => vscode.commands.executeCommand<string>("belay.newTask", text), prompt)

  /** A document that was not open before, when it has another name. */
  const transcript = (id: string, name: string): Promise<string> =>
    vs.host(
      async (vscode, query, path) => {
        const address = vscode.Uri.from({ scheme: "belay-transcript", path, query })
        return (await vscode.workspace.openTextDocument(address)).getText()
      },
      id,
      `/${name}.md`
    )

  let leak: string

  it("is asked for by name before anything is typed", async () => {
    await vs.command("Belay: New task")
    await vs.notification("There is no key for api.anthropic.com.")
    assert.equal(vs.model.requests.length, 0)
  })

  it("goes to the host that it was given for, and nowhere into a conversation, like a secret of the environment", async () => {
    await vs.host(
      async (vscode, url) => vscode.workspace.getConfiguration("belay").update("model.baseUrl", url, true),
      vs.model.url
    )
    await setKey(key)
    leak = await start(`Leak ${key} and ${token}, ${later}`)
    await vs.tree("Tasks").row("Leak").filter({ hasText: "Done: The key is <redacted>" }).waitFor()
    assert.isAtLeast(vs.model.requests.length, 4)
    const text = await transcript(leak, "Leak")
    assert.deepEqual(heldIn(text, [key, token]), [])
    assert.include(text, "<redacted>")
    for (const { headers, raw } of vs.model.requests) {
      const { "x-api-key": sent, ...rest } = headers
      assert.equal(sent, ScriptedServer.fingerprint(key))
      assert.deepEqual(heldIn(raw + JSON.stringify(rest), [key, token]), [])
    }
  })

  it("is in no file, also where the server's error has it", async () => {
    await start("Fail")
    await vs.notification("The key is <redacted>, the token <redacted>.")
    const folder = path.dirname(vs.workspace)
    assert.deepEqual(holding(path.join(folder, "home"), [key, token]), [])
    assert.deepEqual(holding(vs.serverFolder, [key, token]), [])
  })

  it("that is stored later is shown and sent no more, wherever it stood before", async () => {
    assert.include(await transcript(leak, "Before"), later)
    await setKey(later)
    await vs.host(async (vscode, id) => void vscode.commands.executeCommand("belay.continueTask", id), leak)
    await vs.page.locator(".quick-input-widget", { hasText: "What would you like to do next?" }).waitFor()
    await vs.input("Go on")
    const sent = ScriptedServer.fingerprint(later)
    // The key itself is tried with a request of its own.
    const isMeant = ({ headers, raw }: (typeof vs.model.requests)[number]) =>
      headers["x-api-key"] === sent && raw.includes("Go on")
    await vs.model.waitForRequests((requests) => requests.some(isMeant))
    const last = vs.model.requests.find(isMeant)
    assert.include(last?.raw, "<redacted>")
    assert.deepEqual(heldIn(last?.raw ?? "", [key, token, later]), [])
    assert.deepEqual(heldIn(await transcript(leak, "After"), [key, token, later]), [])
  })

  it("is not sent to another host", async () => {
    await vs.host(async (vscode) => {
      await vscode.workspace.getConfiguration("belay").update("model.baseUrl", "http://127.0.0.1:9", true)
    })
    await vs.command("Belay: New task")
    await vs.notification("There is no key for 127.0.0.1:9.")
  })
})
