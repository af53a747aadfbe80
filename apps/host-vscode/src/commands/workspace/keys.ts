/** Set key, Remove key: in the editor's secret storage, bound to the server that a mode uses. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import { Key, told } from "../../settings/Key.ts"

/** The server that is meant; asked only where there are several. */
const meant = (title: string) =>
  Effect.gen(function* () {
    const [first, ...others] = (yield* Key).services()
    if (first === undefined || others.length === 0) return first
    const items = [first, ...others].map((service) => ({ label: told(service), service }))
    const item = yield* chosen((token) => vscode.window.showQuickPick(items, { title }, token))
    return item.service
  })

export const setKey = command("belay.setKey", () =>
  Effect.gen(function* () {
    const key = yield* Key
    const service = yield* meant("Set the key of which server?")
    if (service === undefined) return
    const prompt = `It is sent to ${service.host} and to no other host.`
    const options = { title: `Key for ${told(service)}`, prompt, password: true, ignoreFocusOut: true }
    const given = yield* chosen((token) => vscode.window.showInputBox(options, token))
    if (given.trim() !== "") yield* key.store(service, given.trim())
  })
)

export const removeKey = command("belay.removeKey", () =>
  Effect.gen(function* () {
    const key = yield* Key
    const service = yield* meant("Remove the key of which server?")
    if (service === undefined) return
    yield* key.remove(service)
    vscode.window.setStatusBarMessage(`The key for ${told(service)} is removed.`, 10_000)
  })
)

/** The button of the line that says there is no key. */
export const useNoKey = command("belay.useNoKey", () =>
  Effect.gen(function* () {
    const service = yield* meant("Which server needs no key?")
    if (service !== undefined) yield* (yield* Key).storeNone(service)
  })
)
