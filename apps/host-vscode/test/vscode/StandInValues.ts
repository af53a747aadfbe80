/** The values of VS Code that the extension makes, as the stand-in for the editor has them. */
import * as path from "node:path"

export type Listener<A> = (value: A) => unknown

export const nothing = () => undefined
export const disposable = () => ({ dispose: nothing })

export class EventEmitter<A> {
  readonly #listeners = new Set<Listener<A>>()
  readonly event = (listener: Listener<A>) => {
    this.#listeners.add(listener)
    return { dispose: () => void this.#listeners.delete(listener) }
  }
  fire(value: A): void {
    for (const listener of this.#listeners) listener(value)
  }
  dispose(): void {
    this.#listeners.clear()
  }
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 }
export const TreeItemCheckboxState = { Unchecked: 0, Checked: 1 }
export const StatusBarAlignment = { Left: 1, Right: 2 }
export const QuickPickItemKind = { Separator: -1, Default: 0 }
export const ViewColumn = { Active: -1, Beside: -2 }
export const ConfigurationTarget = { Global: 1 }
export const CodeActionKind = { QuickFix: { append: nothing } }
export const FileType = { File: 1, Directory: 2 }
export const ProgressLocation = { Notification: 15 }

export class TreeItem {
  label: string
  collapsibleState: number
  constructor(label: string, collapsibleState = TreeItemCollapsibleState.None) {
    this.label = label
    this.collapsibleState = collapsibleState
  }
}

export class ThemeColor {
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

export class ThemeIcon {
  readonly id: string
  readonly color: ThemeColor | undefined
  constructor(id: string, color?: ThemeColor) {
    this.id = id
    this.color = color
  }
}

export class MarkdownString {
  value = ""
  isTrusted = false
  appendMarkdown(text: string) {
    this.value += text
    return this
  }
  appendText(text: string) {
    this.value += text
    return this
  }
}

export class CancellationTokenSource {
  readonly token = { onCancellationRequested: disposable }
  dispose(): void {}
}

interface UriParts {
  readonly scheme: string
  readonly path: string
  readonly query?: string
}

export class Uri {
  readonly scheme: string
  readonly path: string
  readonly query: string
  constructor({ path: file, query = "", scheme }: UriParts) {
    this.scheme = scheme
    this.path = file
    this.query = query
  }
  static file(file: string) {
    return new Uri({ scheme: "file", path: file })
  }
  static from(parts: UriParts) {
    return new Uri(parts)
  }
  static joinPath({ path: folder, scheme }: Uri, ...names: ReadonlyArray<string>) {
    return new Uri({ scheme, path: path.join(folder, ...names) })
  }
  get fsPath() {
    return this.path
  }
  with(parts: Partial<UriParts>) {
    return new Uri({ scheme: this.scheme, path: this.path, query: this.query, ...parts })
  }
  toString() {
    return `${this.scheme}:${this.path}${this.query === "" ? "" : `?${this.query}`}`
  }
}
