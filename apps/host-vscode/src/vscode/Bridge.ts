/**
 * Between VS Code and Effect: commands and trees in, events as streams out, everything disposed with its scope.
 *
 * What goes wrong in a command is shown as one plain line and logged whole; an answer that a person did not give
 * (Escape) ends the command without a word.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as vscode from "vscode"
import { redaction } from "./Redaction.ts"
import type { Surfaces, Tree, ViewId, Views } from "../activation/LazyContributions.ts"
import * as Walkthrough from "../activation/Walkthrough.ts"

/** A person did not choose: nothing happens. */
export class Dismissed extends Schema.TaggedError<Dismissed>()("Dismissed", {}) {
  override get message() {
    return "Nothing was chosen."
  }
}

/** What VS Code was asked for and did not do. */
export class EditorError extends Schema.TaggedError<EditorError>()("EditorError", { cause: Schema.Defect() }) {
  override get message() {
    return `VS Code refused (${this.cause instanceof Error ? this.cause.message : String(this.cause)}). Try it again.`
  }
}

/** A button beside a line: the command that does what the line says. */
export const Action = Schema.Struct({
  title: Schema.String,
  command: Schema.String,
  arguments: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
export type Action = typeof Action.Type

/** One plain line for people: what happened, to what, what to do. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  line: Schema.String,
  actions: Schema.optionalKey(Schema.Array(Action)),
  /** Nothing has failed: there is nothing to do. */
  isNews: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return this.line
  }
}

type Run = (args: ReadonlyArray<unknown>) => Promise<unknown>

export class Bridge extends Context.Service<
  Bridge,
  {
    readonly context: vscode.ExtensionContext
    readonly views: Views
    readonly log: vscode.LogOutputChannel
    readonly commands: Map<string, Run>
    /** Fills a view, as soon as its tree is there. */
    readonly fill: (id: ViewId, tree: Tree) => void
    /** What fills a conversation's view. */
    readonly surfaces: Partial<Surfaces>
  }
>()("@belay/host-vscode/Bridge") {}

/** A disposable that lives as long as the scope. */
export const scoped = <A extends { dispose(): unknown }>(make: () => A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(make), (made) => Effect.sync(() => void made.dispose()))

/** Every event from now on. */
export const events = <A>(event: vscode.Event<A>): Stream.Stream<A> =>
  Stream.callback<A>((queue) => scoped(() => event((value) => void Queue.offerUnsafe(queue, value))))

/** What VS Code does, awaited. */
export const perform = <A>(work: () => Thenable<A>): Effect.Effect<A, EditorError> =>
  Effect.tryPromise({ try: () => Promise.resolve(work()), catch: (cause) => new EditorError({ cause }) })

/** What a person chose; `Dismissed` when nothing. */
export const chosen = <A>(
  work: (token: vscode.CancellationToken) => Thenable<A | undefined>
): Effect.Effect<A, EditorError | Dismissed> =>
  Effect.gen(function* () {
    const source = yield* scoped(() => new vscode.CancellationTokenSource())
    const found = yield* perform(() => work(source.token))
    return found === undefined ? yield* new Dismissed() : found
  }).pipe(Effect.scoped)

const lineOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  const line = redaction.text(text).replaceAll(/\s+/g, " ").trim()
  // A path is called as it is.
  return /^[^\s/\\]+[/\\.]\S/u.test(line) ? line : `${line.charAt(0).toUpperCase()}${line.slice(1)}`
}

const actionsOf = (error: unknown): ReadonlyArray<Action> =>
  error instanceof Object && "actions" in error && Array.isArray(error.actions) ? error.actions : []

/** One line with its buttons, without taking the focus. */
export const show = (line: string, actions: ReadonlyArray<Action>, isNews = false): void => {
  const { showErrorMessage, showInformationMessage } = vscode.window
  const tells = isNews ? showInformationMessage : showErrorMessage
  void tells(line, ...actions).then((action) => {
    if (action !== undefined) void vscode.commands.executeCommand(action.command, ...(action.arguments ?? []))
  })
}

const isDismissed = (error: unknown): boolean => error instanceof Dismissed

/** Tells what went wrong, once, without taking the focus. */
export const tell = (log: vscode.LogOutputChannel, cause: Cause.Cause<unknown>): void => {
  const error = Cause.squash(cause)
  if (isDismissed(error) || Cause.hasInterruptsOnly(cause)) return
  const isNews = error instanceof Refusal && error.isNews === true
  if (!isNews) log.error(redaction.text(Cause.pretty(cause)))
  show(lineOf(error), actionsOf(error), isNews)
}

/** Carries out a command of the manifest. */
export const command = <R>(
  id: string,
  run: (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, R>
): Effect.Effect<void, never, Bridge | R> =>
  Effect.gen(function* () {
    const { commands, context, log } = yield* Bridge
    const services = yield* Effect.context<R>()
    commands.set(id, async (args) => {
      Walkthrough.note(context, id)
      const exit = await Effect.runPromiseExitWith(services)(Effect.suspend(() => run(...args)))
      if (Exit.isFailure(exit)) tell(log, exit.cause)
      return Exit.isSuccess(exit) ? exit.value : undefined
    })
  })

/** Fills a view. */
export const tree = (id: ViewId, provider: Tree): Effect.Effect<void, never, Bridge> =>
  Effect.map(Bridge, ({ fill }) => fill(id, provider))
