/** Set key, Remove key: in the editor's secret storage, bound to the server that a mode uses. */
import { Message } from "@belay/message-state"
import { ModelClient, ModelError } from "@belay/model-client"
import { Settings } from "@belay/settings"
import { TaskId } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as vscode from "vscode"
import { chosen, command, Refusal } from "../../vscode/Bridge.ts"
import { Key, type Service, told } from "../../settings/Key.ts"
import * as Preferences from "../../settings/Preferences.ts"

/** The server that is meant; asked only where there are several. */
const meant = (title: string) =>
  Effect.gen(function* () {
    const [first, ...others] = (yield* Key).services()
    if (first === undefined || others.length === 0) return first
    const items = [first, ...others].map((service) => ({ label: told(service), service }))
    const item = yield* chosen((token) => vscode.window.showQuickPick(items, { title }, token))
    return item.service
  })

const question = Message.text("Hello")

/** The key is tried with the cheapest request that there is, which counts a word: what came of it is one line. */
const checked = (service: Service) =>
  Effect.gen(function* () {
    const { countTokens } = yield* ModelClient.ModelClient
    const { mode = "act" } = service
    const model = Preferences.model(mode) ?? Settings.defaultModel
    const request = { taskId: TaskId.TaskId.make("key"), model, mode, system: [], tools: [], maxTokens: 1 }
    const tried = yield* Effect.exit(
      countTokens({ ...request, messages: [{ role: "user", content: [question] }] }).pipe(Effect.timeout("15 seconds"))
    )
    const name = told(service)
    if (Exit.isSuccess(tried)) {
      const line = Option.isSome(tried.value) ? `The key for ${name} works.` : `The key for ${name} is kept.`
      return void vscode.window.showInformationMessage(line)
    }
    const error = Cause.squash(tried.cause)
    const why = error instanceof Error ? error.message : String(error)
    const isRefused = error instanceof ModelError.ModelError && error.reason._tag === "Unauthorized"
    if (!isRefused)
      return yield* new Refusal({ line: `The key for ${name} is kept, and was not tried: ${why}`, isNews: true })
    const again = { title: "Set another key", command: "belay.setKey" }
    return yield* new Refusal({ line: `${name} refuses this key: ${why}`, actions: [again] })
  })

export const setKey = command("belay.setKey", () =>
  Effect.gen(function* () {
    const key = yield* Key
    const service = yield* meant("Set the key of which server?")
    if (service === undefined) return
    const prompt = `It is sent to ${service.host} and to no other host.`
    const options = { title: `Key for ${told(service)}`, prompt, password: true, ignoreFocusOut: true }
    const given = yield* chosen((token) => vscode.window.showInputBox(options, token))
    if (given.trim() === "") return
    yield* key.store(service, given.trim())
    yield* checked(service)
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
