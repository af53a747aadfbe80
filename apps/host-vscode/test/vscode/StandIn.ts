/**
 * What the extension takes of VS Code where there is no window: what it registers, shows, says and asks, as data.
 *
 * A test file puts it in the place of the editor's module: `vi.mock("vscode", () => import("./vscode/StandIn.ts"))`.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { disposable, EventEmitter, type Listener, nothing, type ThemeIcon, Uri } from "./StandInValues.ts"

export * from "./StandInValues.ts"

/** A message beside the work, with its buttons. */
export interface Told {
  readonly kind: "error" | "warning" | "information"
  readonly line: string
  readonly actions: ReadonlyArray<string>
  readonly press: (action: string) => void
}

/** What the person was asked: a list, a line to type, or a dialog. */
export interface Asked {
  readonly title: string
  readonly detail: string
  /** Rows or buttons. */
  readonly choices: ReadonlyArray<string>
}

interface Item {
  readonly label: string
  readonly description?: string
  readonly iconPath?: ThemeIcon
  readonly buttons?: ReadonlyArray<{ readonly tooltip?: string }>
  /** What it chooses; a row without one only says something. */
  readonly choice?: unknown
}

/** A list that filters nothing by itself. */
class QuickPick {
  readonly #changed = new EventEmitter<string>()
  readonly #accepted = new EventEmitter<void>()
  readonly #hidden = new EventEmitter<void>()
  readonly #pressed = new EventEmitter<{ readonly item: Item; readonly button: unknown }>()
  readonly onDidChangeValue = this.#changed.event
  readonly onDidAccept = this.#accepted.event
  readonly onDidHide = this.#hidden.event
  readonly onDidTriggerItemButton = this.#pressed.event
  #busy = false
  /** What was asked first has been looked for, so that it hears what is typed. */
  hasAnswered = false
  title = ""
  value = ""
  items: ReadonlyArray<Item> = []
  activeItems: ReadonlyArray<Item> = []
  selectedItems: ReadonlyArray<Item> = []
  get busy() {
    return this.#busy
  }
  set busy(is: boolean) {
    this.#busy = is
    this.hasAnswered ||= !is
    editor.changed.fire()
  }
  show(): void {
    editor.picker = this
    editor.changed.fire()
  }
  type(text: string): void {
    this.value = text
    this.#changed.fire(text)
  }
  accept(label: string): void {
    this.selectedItems = this.items.filter((item) => item.label === label)
    this.#accepted.fire()
  }
  /** A button of a row, by what it says. */
  press(label: string, tooltip: string): void {
    const item = this.items.find((one) => one.label === label)
    const button = item?.buttons?.find((one) => one.tooltip === tooltip)
    if (item === undefined || button === undefined) throw new Error(`no row "${label}" has a button "${tooltip}"`)
    this.#pressed.fire({ item, button })
  }
  hide(): void {
    this.#hidden.fire()
  }
  dispose(): void {
    if (editor.picker === this) editor.picker = undefined
    editor.changed.fire()
  }
}

interface Tree {
  readonly getChildren: (element?: string) => unknown
}

interface StatusBarItem {
  readonly id: string
  text: string
  isShown: boolean
}

interface Problem {
  readonly message: string
  readonly severity: number
  readonly range: { readonly start: { readonly line: number } }
}

interface Folder {
  readonly name: string
  readonly uri: Uri
}

type Defaults = Readonly<Record<string, { readonly default: unknown }>>

const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../../extension/package.json"), "utf8"))
const defaults: Defaults = manifest.contributes.configuration.properties

/** The editor of the test that runs now, and its person. */
const make = () => ({
  manifest,
  /** By their full names; others have the manifest's defaults. */
  settings: new Map<string, unknown>([
    ["workbench.reduceMotion", "on"],
    // Nobody looks at files here.
    ["belay.edits.problems", "off"]
  ]),
  /** What is marked in files, by their names. */
  problems: new Map<string, ReadonlyArray<Problem>>(),
  changedProblems: new EventEmitter<void>(),
  folders: new Array<Folder>(),
  told: new Array<Told>(),
  asked: new Array<Asked>(),
  /** What the person answers next: a part of a row, a button or a text; `undefined` is Escape. */
  answers: new Array<string | undefined>(),
  contexts: new Map<string, unknown>(),
  bar: new Array<StatusBarItem>(),
  /** Sentences that stood in the status bar for a while. */
  sentences: new Array<string>(),
  /** Commands of the editor's own. */
  performed: new Array<ReadonlyArray<unknown>>(),
  clipboard: "",
  picker: undefined as QuickPick | undefined,
  /** The text that is shown in an editor. */
  text: "",
  /** What was registered, by its id. */
  trees: new Map<string, Tree>(),
  commands: new Map<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>(),
  texts: new Map<string, (uri: Uri) => Promise<string>>(),
  /** Something was shown, told or asked. */
  changed: new EventEmitter<void>(),
  run: undefined as ((id: string, args: ReadonlyArray<unknown>) => Promise<unknown>) | undefined,
  changedFolders: new EventEmitter<{ readonly removed: ReadonlyArray<Folder> }>(),
  changedSettings: new EventEmitter<{ readonly affectsConfiguration: () => boolean }>()
})

export let editor = make()

/** Another editor, in which nothing was done. */
export const renew = (): typeof editor => (editor = make())

/** The text of a document of this editor. */
export const textOf = async (uri: Uri): Promise<string> =>
  (await editor.texts.get(uri.scheme)?.(uri)) ?? readFileSync(uri.fsPath, "utf8")

const answer = (title: string, detail: string, choices: ReadonlyArray<string>): string | undefined => {
  editor.asked.push({ title, detail, choices })
  editor.changed.fire()
  if (editor.answers.length === 0) throw new Error(`nobody answers "${title}"`)
  return editor.answers.shift()
}

/** What is not named here is registered or listened to, and nothing comes of it. */
const rest = <A extends object>(named: A): A =>
  new Proxy(named, {
    get: (target, name) => {
      if (name in target) return Reflect.get(target, name)
      if (/^(?:on[A-Z]|register)/u.test(String(name))) return disposable
      throw new Error(`the stand-in of the editor has no ${String(name)}`)
    }
  })

type Button = string | { readonly title: string }
const titleOf = (button: Button): string => (typeof button === "string" ? button : button.title)

type Rest = ReadonlyArray<Button | { modal?: boolean; detail?: string }>

/** A dialog asks; any other message is only told. */
const message =
  (kind: Told["kind"]) =>
  async (line: string, ...rest: Rest) => {
    const [first] = rest
    const options = typeof first === "object" && "modal" in first ? first : undefined
    const buttons = (options === undefined ? rest : rest.slice(1)) as ReadonlyArray<Button>
    const names = buttons.map(titleOf)
    const of = (name: string | undefined) => buttons.find((button) => titleOf(button) === name)
    if (options?.modal === true) return of(answer(line, options.detail ?? "", names))
    const pressed = Promise.withResolvers<Button | undefined>()
    editor.told.push({ kind, line, actions: names, press: (name) => pressed.resolve(of(name)) })
    editor.changed.fire()
    return pressed.promise
  }

export const window = rest({
  state: { focused: true },
  visibleTextEditors: [],
  activeTextEditor: undefined,
  tabGroups: rest({ all: [], activeTabGroup: { activeTab: undefined } }),
  createOutputChannel: () => ({ error: nothing, info: nothing, dispose: nothing }),
  createStatusBarItem: (id: string) => {
    const item = { id, text: "", isShown: false, dispose: nothing }
    editor.bar.push(item)
    return Object.assign(item, { show: () => (item.isShown = true), hide: () => (item.isShown = false) })
  },
  createTreeView: (id: string, { treeDataProvider }: { readonly treeDataProvider: Tree }) => {
    editor.trees.set(id, treeDataProvider)
    return { message: undefined, visible: false, selection: [], onDidChangeVisibility: disposable, dispose: nothing }
  },
  createTextEditorDecorationType: disposable,
  createQuickPick: () => new QuickPick(),
  setStatusBarMessage: (text: string) => {
    editor.sentences.push(text)
    editor.changed.fire()
  },
  showErrorMessage: message("error"),
  showWarningMessage: message("warning"),
  showInformationMessage: message("information"),
  showInputBox: async ({ title = "", value = "" }) => answer(title, value, []),
  showQuickPick: async (items: ReadonlyArray<Item>, { placeHolder = "", title = "" } = {}) => {
    const labels = items.map(({ label }) => label)
    const wanted = answer(title === "" ? placeHolder : title, "", labels)
    return items.find(({ label }) => wanted !== undefined && label.includes(wanted))
  },
  withProgress: (_options: unknown, work: (progress: { readonly report: () => void }) => unknown) =>
    work({ report: nothing }),
  showTextDocument: async (document: { readonly getText: () => string }) => {
    editor.text = document.getText()
    editor.changed.fire()
  }
})

export const workspace = rest({
  isTrusted: true,
  get workspaceFolders() {
    return editor.folders
  },
  textDocuments: [],
  getWorkspaceFolder: (uri: Uri) => editor.folders.find((folder) => uri.path.startsWith(folder.uri.path)),
  getConfiguration: (section: string) => ({
    get: (name: string, fallback?: unknown) => {
      const whole = `${section}.${name}`
      return editor.settings.has(whole) ? editor.settings.get(whole) : (defaults[whole]?.default ?? fallback)
    },
    inspect: (name: string) => ({ defaultValue: defaults[`${section}.${name}`]?.default }),
    update: async (name: string, value: unknown) => {
      if (value === undefined) editor.settings.delete(`${section}.${name}`)
      else editor.settings.set(`${section}.${name}`, value)
      editor.changedSettings.fire({ affectsConfiguration: () => true })
    }
  }),
  onDidChangeConfiguration: (listener: Listener<never>) => editor.changedSettings.event(listener as Listener<unknown>),
  onDidChangeWorkspaceFolders: (listener: Listener<never>) =>
    editor.changedFolders.event(listener as Listener<unknown>),
  registerTextDocumentContentProvider: (
    scheme: string,
    { provideTextDocumentContent }: { readonly provideTextDocumentContent: (uri: Uri) => Promise<string> }
  ) => {
    editor.texts.set(scheme, provideTextDocumentContent)
    return disposable()
  },
  openTextDocument: async (what: Uri | { readonly content: string }) => {
    if ("content" in what) return { getText: () => what.content }
    const text = await textOf(what)
    return { uri: what, getText: () => text }
  }
})

export const languages = rest({
  getDiagnostics: () => [...editor.problems].map(([file, problems]) => [Uri.file(file), problems]),
  onDidChangeDiagnostics: (listener: Listener<void>) => editor.changedProblems.event(listener)
})

export const env = rest({
  appRoot: "",
  remoteName: undefined,
  uriScheme: "vscode",
  asExternalUri: async (uri: Uri) => uri,
  clipboard: {
    writeText: async (text: string) => void (editor.clipboard = text),
    readText: async () => editor.clipboard
  }
})

export const commands = rest({
  registerCommand: (id: string, run: (...args: ReadonlyArray<unknown>) => Promise<unknown>) => {
    editor.commands.set(id, run)
    return disposable()
  },
  executeCommand: async (id: string, ...args: ReadonlyArray<unknown>) => {
    if (id === "setContext") return void editor.contexts.set(String(args[0]), args[1])
    if (id.startsWith("belay.") && editor.run !== undefined) return editor.run(id, args)
    return void editor.performed.push([id, ...args])
  }
})
