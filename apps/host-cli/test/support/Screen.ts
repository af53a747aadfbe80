/** The command in a real terminal: what is typed goes to its keyboard, and what a person would see is read from its cells. */
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes"
import xterm from "@xterm/headless"
import { readlinkSync } from "node:fs"
import { onTestFailed } from "vitest"
import { afterwards } from "./afterwards.ts"
import * as Built from "./Built.ts"
import { bare, type Environment } from "./cli.ts"
import * as Pty from "./Pty.ts"

export type Size = Pty.Size

/** What stands in one place; `color`: one of the 16, or the usual one. */
export interface Cell {
  readonly text: string
  readonly columns: number
  readonly color: number | undefined
  readonly isBold: boolean
  readonly isItalic: boolean
}

export interface Screen {
  /** What is on the screen and above it, without the blanks at the ends of lines and the empty lines at the end. */
  readonly lines: () => ReadonlyArray<string>
  /** The lines that did not fit into a row, and so went on in the next one by themselves. */
  readonly overflown: () => ReadonlyArray<string>
  /** Everything that was written, as bytes. */
  readonly written: () => string
  /** The rows of the screen, as pictures show them. */
  readonly cells: () => ReadonlyArray<ReadonlyArray<Cell>>
  /** What was written, with the ms since the beginning. */
  readonly record: () => ReadonlyArray<readonly [at: number, bytes: string]>
  /** Where the cursor is: the column, and the line it stands in. */
  readonly caret: () => { readonly column: number; readonly row: number; readonly line: string }
  /** Resolves once what is seen fits, and rejects when the command has ended without that. */
  readonly seen: (fits: string | RegExp | ((text: string) => boolean)) => Promise<string>
  readonly type: (text: string) => void
  readonly resize: (size: Size) => void
  readonly exit: Promise<number>
  readonly kill: () => void
  /** As another process sends it. */
  readonly signal: (name: NodeJS.Signals) => void
  /** The device that it is at. */
  readonly device: () => string
  /** What is written to the terminal is not read from now on, until it is again. */
  readonly stall: () => void
  readonly drain: () => void
  /** The terminal goes away, as when its window is closed. */
  readonly close: () => void
}

const beginsFrame = "\u001B[?2026h"
export const endsFrame = "\u001B[?2026l"

const joined = (terminal: xterm.Terminal): ReadonlyArray<string> => {
  const { active } = terminal.buffer
  const all = Array.from({ length: active.length }, (_, n) => active.getLine(n)?.translateToString(true) ?? "")
  while (all.at(-1) === "") all.pop()
  return all
}

/** A terminal that shows what it is written. */
export const emulator = ({ columns, rows }: Size): xterm.Terminal => {
  // The emulator has a size where a terminal says it has none.
  const terminal = new xterm.Terminal({
    cols: columns || 80,
    rows: rows || 24,
    scrollback: 5000,
    allowProposedApi: true
  })
  terminal.loadAddon(new UnicodeGraphemesAddon())
  return terminal
}

const activeOf = ({ buffer: { active } }: xterm.Terminal) => ({
  baseY: active.baseY,
  cursorX: active.cursorX,
  cursorY: active.cursorY,
  getLine: (n: number): string => active.getLine(n)?.translateToString(true) ?? ""
})

export const cellsOf = ({ buffer: { active }, cols, rows }: xterm.Terminal): ReadonlyArray<ReadonlyArray<Cell>> =>
  Array.from({ length: rows }, (_, row) => {
    const line = active.getLine(active.baseY + row)
    return Array.from({ length: cols }, (_, column): ReadonlyArray<Cell> => {
      const cell = line?.getCell(column)
      if (cell === undefined || cell.getWidth() === 0) return []
      const style = { isBold: cell.isBold() !== 0, isItalic: cell.isItalic() !== 0 }
      const color = cell.isFgPalette() ? cell.getFgColor() : undefined
      return [{ text: cell.getChars() || " ", columns: cell.getWidth(), color, ...style }]
    }).flat()
  })

/** The command line that starts it: with `out` its stdout goes to that file. */
const commandOf = (args: ReadonlyArray<string>, out?: string): ReadonlyArray<string> => {
  const command = [process.execPath, Built.entry("cli"), ...args]
  return out === undefined ? command : ["sh", "-c", 'exec "$@" > "$0"', out, ...command]
}

/** Started in a terminal of this size; with `out` its stdout goes to that file. */
export const open = (args: ReadonlyArray<string>, env: Environment, cwd: string, size: Size, out?: string): Screen =>
  start(commandOf(args, out), env, cwd, size)

/** Another entry than that of the command. */
export const openEntry = (entry: string, env: Environment, cwd: string, size: Size): Screen =>
  start([process.execPath, Built.entry(entry)], env, cwd, size)

/** A shell that has jobs, in which `belay` is the command. */
export const shell = (env: Environment, cwd: string, size: Size): Screen => {
  const all = { ...env, PS1: "shell> ", BELAY: commandOf([]).join(" ") }
  return start(["bash", "--norc", "--noprofile", "-i"], all, cwd, size)
}

const start = (command: ReadonlyArray<string>, env: Environment, cwd: string, size: Size): Screen => {
  const terminal = emulator(size)
  const child = Pty.spawn(command, { ...process.env, ...bare, ...env }, cwd, size)
  let bytes = ""
  const began = performance.now()
  const record: Array<readonly [number, string]> = []
  let code: number | undefined
  const looks = new Set<() => void>()
  const look = () => {
    for (const one of looks) one()
  }
  child.onData((text) => {
    bytes += text
    record.push([performance.now() - began, text])
    // A person sees whole frames.
    const isWithin = bytes.lastIndexOf(beginsFrame) > bytes.lastIndexOf(endsFrame)
    terminal.write(text, isWithin ? undefined : look)
  })
  const exit = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      // What it wrote last is read first.
      terminal.write("", () => {
        code = exitCode
        look()
        resolve(exitCode)
      })
    })
  })
  const lines = () => joined(terminal)
  const kill = () => {
    if (code === undefined) child.kill("SIGKILL")
  }
  afterwards(kill)
  // What was waited for in vain is not on it.
  onTestFailed(({ task }) => void process.stdout.write(`${task.name}:\n${lines().slice(-40).join("\n")}\n`))
  return {
    lines,
    overflown: () => {
      const { active } = terminal.buffer
      const rows = Array.from({ length: active.length }, (_, n) => active.getLine(n))
      return rows.flatMap((row) => (row?.isWrapped === true ? [row.translateToString(true)] : []))
    },
    cells: () => cellsOf(terminal),
    record: () => record,
    written: () => bytes,
    caret: () => {
      const { baseY, cursorX, cursorY, getLine } = activeOf(terminal)
      return { column: cursorX, row: cursorY, line: getLine(baseY + cursorY) }
    },
    seen: (fits) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const text = lines().join("\n")
          const isSeen =
            typeof fits === "function" ? fits(text) : typeof fits === "string" ? text.includes(fits) : fits.test(text)
          if (!isSeen && code === undefined) return
          looks.delete(check)
          if (isSeen) resolve(text)
          else reject(new Error(`It ended (${code}) without ${String(fits)}:\n${text}`))
        }
        looks.add(check)
        check()
      }),
    type: (text) => child.write(text),
    resize: ({ columns, rows }) => {
      terminal.resize(columns, rows)
      child.resize(columns, rows)
    },
    exit,
    kill,
    signal: (name) => process.kill(child.pid, name),
    device: () => readlinkSync(`/proc/${child.pid}/fd/0`),
    stall: () => child.pause(),
    drain: () => child.resume(),
    close: () => (child as unknown as { readonly destroy: () => void }).destroy()
  }
}
