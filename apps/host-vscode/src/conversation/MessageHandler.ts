/** What a person does in a view: the same commands and answers as everywhere, for the task that the view shows. */
import { Completions } from "@belay/interaction/unstable/feed"
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { SlashCommand } from "@belay/prompt-context"
import type { AnswerInput } from "@belay/task-engine"
import { View } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as vscode from "vscode"
import * as Answering from "../asks/Answering.ts"
import * as AskPicker from "../asks/AskPicker.ts"
import { Bridge, perform } from "../vscode/Bridge.ts"
import { begin } from "../tasks/NewTask.ts"
import * as NextTaskMode from "../tasks/NextTaskMode.ts"
import * as Mode from "../tasks/Mode.ts"
import * as Questions from "../asks/Questions.ts"
import { Review } from "../asks/Review.ts"
import * as WorkspaceFolders from "../tasks/WorkspaceFolders.ts"
import * as SendMessage from "../tasks/SendMessage.ts"
import * as TranscriptProvider from "../transcript/TranscriptProvider.ts"
import * as Walkthrough from "../activation/Walkthrough.ts"
import * as Attaching from "./Attaching.ts"
import { Drafts } from "./Drafts.ts"
import * as Link from "./Link.ts"
import * as CheckpointAction from "./CheckpointAction.ts"
import { blockOf, Pictures } from "./pictures/Pictures.ts"
import * as Unqueueing from "./Unqueueing.ts"

const option = Schema.decodeUnknownOption(View.FromView)

/** Nothing for what no view of ours sends. */
export const decode = (raw: unknown): View.FromView | undefined => Option.getOrUndefined(option(raw))

type Doing = Exclude<View.FromView, { readonly type: "ready" | "shown" | "pong" | "earlier" }>
type Of<Type extends Doing["type"]> = Extract<Doing, { readonly type: Type }>

export interface Place {
  /** The task that is shown. */
  readonly entry: TaskStore.Entry | undefined
  readonly show: (id: string) => void
  readonly post: (message: View.ToView) => void
}

const builtIn: Partial<Record<View.Deed, string>> = {
  openFolder: "vscode.openFolder",
  manageTrust: "workbench.trust.manage"
}

/** They choose a task themselves. */
const aboutNoTask: Partial<Record<View.Deed, string>> = {
  pickTask: "belay.openTask",
  nextNeedsYou: "belay.nextNeedsYou"
}

const deed = ({ deed, on, task }: Of<"deed">, { show }: Place) =>
  Effect.gen(function* () {
    if (deed === "openTask" && on !== undefined) return show(on)
    const own = builtIn[deed]
    if (own !== undefined) return yield* perform(() => vscode.commands.executeCommand(own))
    const { commands } = yield* Bridge
    const free = aboutNoTask[deed]
    if (free !== undefined) return yield* Effect.promise(async () => commands.get(free)?.([]))
    const about = on ?? task ?? undefined
    const run = commands.get(`belay.${deed}`)
    const args = about === undefined ? [] : [about]
    return yield* Effect.promise(async () => run?.(args))
  })

const folderOf = ({ entry }: Place): string | undefined => entry?.node.row.meta.workspace ?? WorkspaceFolders.likely()

const help = (task: string | null, place: Place) =>
  Effect.gen(function* () {
    const commands = yield* (yield* Completions.Completions).commands(folderOf(place))
    place.post({ type: "help", task, commands })
  })

const complete = ({ at, line, n, task }: Of<"complete">, place: Place) =>
  Effect.gen(function* () {
    const folder = folderOf(place)
    if (folder === undefined) return
    const { from, items } = yield* (yield* Completions.Completions).of(folder, line, at === 0)
    place.post({ type: "completions", task, n, from: at + from, items })
  })

const takesWords = new Set(["plan", "question"])

/** What a task that runs asks in words: what is said is its answer, unless it is a command. */
const askedOf = (entry: TaskStore.Entry, text: string): OpenAsks.Open | undefined => {
  const ask =
    SlashCommand.known(text) === undefined ? entry.node.openAsks.find(({ kind }) => takesWords.has(kind)) : undefined
  const open = ask === undefined ? undefined : { ask, entry }
  return open !== undefined && OpenAsks.isLive(open) ? open : undefined
}

const say = (entry: TaskStore.Entry, text: string, attached: AnswerInput["attached"]) =>
  Effect.gen(function* () {
    const asked = askedOf(entry, text)
    if (asked === undefined) return yield* SendMessage.sayAndGoOn(entry, text, attached)
    yield* Answering.carryOut(asked, { text, ...(attached && { attached }) })
    return TaskStore.idOf(entry)
  })

const send = ({ pictures: named = [], task, text }: Of<"send">, place: Place) =>
  Effect.gen(function* () {
    const { entry, post, show } = place
    const drafts = yield* Drafts
    const pictures = yield* Pictures
    const shown = (yield* pictures.of(task)).filter(({ id }) => named.includes(id))
    const attached = shown.length === 0 ? undefined : shown.map(blockOf)
    if (text.trim() === "" && attached === undefined) return
    if (SlashCommand.known(text)?.name === "help") {
      drafts.keep(task, "")
      return yield* help(task, place)
    }
    const sent = Effect.gen(function* () {
      if (entry !== undefined) return yield* say(entry, text, attached)
      return yield* begin({ given: text, shows: false, ...(attached && { attached }) })
    })
    const exit = yield* Effect.exit(sent)
    if (Exit.isFailure(exit)) {
      drafts.keep(task, text)
      post({ type: "returned", task, text })
      return yield* exit
    }
    drafts.keep(task, "")
    yield* pictures.detach(task, named)
    if (exit.value !== task) show(exit.value)
    const { refresh } = yield* TaskStore.TaskStore
    return yield* refresh
  })

const openAsk = (askId: string, entry: TaskStore.Entry | undefined) =>
  Effect.gen(function* () {
    const open = entry === undefined ? undefined : OpenAsks.shownIn(entry).find(({ ask }) => ask.askId === askId)
    return open ?? (yield* Answering.late())
  })

const verdict = ({ askId, verdict }: Of<"verdict">, { entry }: Place) =>
  Effect.gen(function* () {
    const open = yield* openAsk(askId, entry)
    if (verdict === "review") return yield* (yield* Review).open(open)
    if (open.ask.kind === "budget" || open.ask.kind === "context") {
      const given = yield* Questions.ask(open)
      return given === "done" ? undefined : yield* Answering.carryOut(open, given)
    }
    if (open.ask.kind === "plan" && verdict === "once") return yield* Mode.switchTo(open.entry, "act")
    const live = yield* Answering.live(open)
    const given: AnswerInput = verdict === "deny" ? { decision: "deny" } : yield* AskPicker.granting(live, verdict)
    return yield* Answering.carryOut(live, given)
  })

const answer = ({ askId, decision, text }: Of<"answer">, { entry }: Place) =>
  Effect.gen(function* () {
    const open = yield* openAsk(askId, entry)
    if (open.ask.kind === "plan" && decision === "allow") return yield* Mode.switchTo(open.entry, "act", text)
    return yield* Answering.carryOut(open, { text, ...(decision === undefined ? {} : { decision }) })
  })

const mode = ({ mode }: Of<"mode">, { entry }: Place) =>
  entry === undefined ? NextTaskMode.choose(mode) : Mode.switchTo(entry, mode)

const editOf = ({ seq, task }: Of<"edit">) => TranscriptProvider.outputOf(task ?? "", seq, "Change.diff")

const quietly: vscode.TextDocumentShowOptions = { preview: true }

export const carryOut = (message: Doing, place: Place) =>
  Effect.gen(function* () {
    const { context } = yield* Bridge
    switch (message.type) {
      case "draft":
        ;(yield* Review).touched()
        return (yield* Drafts).keep(message.task, message.text)
      case "send":
        if (place.entry === undefined) Walkthrough.note(context, "newTask")
        return yield* send(message, place)
      case "attach":
        return yield* Attaching.attach(message, place.post)
      case "detach":
        return yield* (yield* Pictures).detach(message.task, [message.id])
      case "choose":
        return yield* Attaching.choose(message, place.post)
      case "point":
        return yield* Attaching.point(message, place.post)
      case "picture":
        return yield* Attaching.picture(message, place.post)
      case "unqueue":
        return yield* Unqueueing.unqueue(message, place)
      case "complete":
        return yield* complete(message, place)
      case "verdict":
        if (message.verdict !== "review") Walkthrough.note(context, "answer")
        return yield* verdict(message, place)
      case "answer":
        Walkthrough.note(context, "answer")
        return yield* answer(message, place)
      case "mode":
        return yield* mode(message, place)
      case "deed":
        return yield* deed(message, place)
      case "moment":
        return place.entry === undefined
          ? undefined
          : yield* CheckpointAction.carryOut(place.entry, message, place.show)
      case "output": {
        if (message.task === null) return
        const address = TranscriptProvider.outputOf(message.task, message.seq)
        return yield* perform(() => vscode.window.showTextDocument(address, quietly))
      }
      case "edit":
        return message.task === null
          ? undefined
          : yield* perform(() => vscode.window.showTextDocument(editOf(message), quietly))
      case "link":
        return yield* Link.follow(message.target, place.entry?.node.row.meta.workspace)
    }
  })
