/** `belay` in a real terminal with a scripted model: what a person does, and what they see. */
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import { afterwards } from "./afterwards.ts"
import { type Environment, folder } from "./cli.ts"
import * as Screen from "./Screen.ts"

export interface Options {
  readonly args?: ReadonlyArray<string>
  readonly env?: Environment
  readonly size?: Screen.Size
  /** What else the model is asked, by the prompt of the task. */
  readonly scripts?: ReadonlyArray<readonly [prompt: string, answers: ReadonlyArray<Scenario.Answer>]>
  /** The composer is there first. */
  readonly isComposed?: boolean
  /** A shell with jobs is there first, and starts it as one. */
  readonly shell?: boolean
  /** Folders of an earlier one. */
  readonly of?: { readonly cwd: string; readonly home: string; readonly url: string }
}

const normal: Screen.Size = { columns: 80, rows: 24 }

export const says = (text: string): Scenario.Answer => ({ content: [{ type: "text", text }] })

/** The composer waits for keys. */
const composer = /^(?:(?:Act|Plan) )?[›>] /mu

const direct = { TMUX: undefined, STY: undefined, ZELLIJ: undefined, SSH_CONNECTION: undefined, TERM: "xterm-256color" }

/** Opens it; `Work` is the prompt that the script answers. */
export const open = async (
  answers: ReadonlyArray<Scenario.Answer>,
  { args = [], env = {}, isComposed = true, of, scripts = [], shell = false, size = normal }: Options = {}
) => {
  const all = [...scripts, ["Work", answers] as const]
  const server = await ScriptedServer.startServer({
    tasks: all.map(([prompt, said]) => ({ match: { prompt }, shared: true, answers: said }))
  })
  afterwards(() => server.close())
  const cwd = of?.cwd ?? folder()
  const home = of?.home ?? folder()
  writeFileSync(path.join(cwd, "sum.js"), "export const sum = (a, b) => {\n  return a - b\n}\n")
  const given = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url, ...direct, ...env }
  const screen = shell ? Screen.shell(given, cwd, size) : Screen.open(args, given, cwd, size)
  if (shell) {
    await screen.seen("shell> ")
    screen.type("$BELAY\r")
  }
  const composed = () => screen.seen(composer)
  if (isComposed) await composed()
  /** Sends a line, and waits for what it brings. */
  const say = async (text: string, then: string | RegExp) => {
    screen.type(`${text}\r`)
    return await screen.seen(then)
  }
  return { screen, server, cwd, home, url: server.url, env: given, say, composed }
}

export type Opened = Awaited<ReturnType<typeof open>>

// oxlint-disable-next-line no-control-regex
const forbidden = /\u001B\[[23]J|\u001B\[\?1049|\u001B\[\?100[0-36]|\u001B\[[\d;]*r|\u001B\[\d*[STLM]|\u001B[Mc]/u

/** Frames, and the switches of modes at both ends. */
const allowed =
  // oxlint-disable-next-line no-control-regex
  /\u001B\[\?2026h[^]*?\u001B\[\?2026l|\u001B\[(?:\?2004[hl]|\?1004[hl]|\?2048[hl]|>1u|<u|\?7h|\?25h|\?2026l)/gu

/** What holds of every byte that the interface wrote. */
export const holdFrames = (written: string): void => {
  assert.notMatch(written, forbidden)
  assert.strictEqual(written.replaceAll(allowed, ""), "", "all of it is frames and switches of modes")
}

/** How many frames were written. */
export const framesOf = (written: string): number => written.split("\u001B[?2026h").length - 1

/** The modes that are on at the end of what was written. */
export const modesOf = (written: string): ReadonlyArray<string> => {
  const on = new Set<string>()
  // oxlint-disable-next-line no-control-regex
  for (const [, mode = "", state] of written.matchAll(/\u001B\[\?(\d+)([hl])/gu)) {
    if (state === "h") on.add(mode)
    else on.delete(mode)
  }
  const keys = written.split("\u001B[>1u").length - written.split("\u001B[<u").length
  return [...on, ...(keys === 0 ? [] : ["keys"])].toSorted()
}
