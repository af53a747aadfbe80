/** Set key, Remove key: in the editor's secret storage, bound to the host of the base URL. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../Bridge.ts"
import { Key } from "../Key.ts"

export const setKey = command("belay.setKey", () =>
  Effect.gen(function* () {
    const key = yield* Key
    const prompt = `It is sent to ${key.host()} and to no other host.`
    const options = { title: `Key for ${key.host()}`, prompt, password: true, ignoreFocusOut: true }
    const given = yield* chosen((token) => vscode.window.showInputBox(options, token))
    if (given.trim() !== "") yield* key.store(given.trim())
  })
)

export const removeKey = command("belay.removeKey", () =>
  Effect.gen(function* () {
    const key = yield* Key
    yield* key.remove
    vscode.window.setStatusBarMessage(`The key for ${key.host()} is removed.`, 10_000)
  })
)

/** The button of the line that says there is no key. */
export const useNoKey = command("belay.useNoKey", () => Effect.flatMap(Key, ({ storeNone }) => storeNone))
