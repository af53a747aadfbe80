/**
 * What a run shows while it runs: a person at a terminal sees it happen, others get a line per event on stderr, and
 * programs the events themselves.
 */
import type { LiveEvent } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import { isatty } from "node:tty"
import type { RunOptions } from "./RunOptions.ts"
import * as DetachedChannel from "../output/DetachedChannel.ts"
import * as ClaudeStream from "../result/ClaudeStream.ts"
import * as EventJson from "../progress/EventJson.ts"
import * as Markdown from "../output/Markdown.ts"
import * as Progress from "../progress/Progress.ts"
import * as Screen from "../progress/Screen.ts"
import * as Silence from "../progress/Silence.ts"
import type { Sink } from "../output/Sink.ts"
import * as Echo from "../terminal/Echo.ts"

export interface View {
  readonly take: (event: LiveEvent.TaskEvent) => void
  /** A call that another process asked for, before its end is taken: what people are shown of it needs its arguments. */
  readonly earlier: (event: LiveEvent.TaskEvent) => void
  /** Called several times a second. */
  readonly tick: (now: number) => void
  /** The first line; `start` is what programs are told of it. */
  readonly head: (text: string, now: number, start?: ClaudeStream.Start) => void
  /** While somebody is asked, nothing else is shown. */
  readonly hold: (isHeld: boolean) => void
  /** The end of the run, with the result of its task as people or pipes read it; `ending` is what programs are told of it. */
  readonly end: (result: string | null, ending?: ClaudeStream.Ending) => void
}

const isTerminal = (): boolean => isatty(2) && (process.env["CI"] ?? "") === ""

const formOf = ({ look, reader }: RunOptions): Screen.Form =>
  reader ? "reader" : look.plain || process.env["TERM"] === "dumb" ? "lines" : "live"

/** Of a pipe raw, of a terminal as it shows Markdown. */
const printed = (sink: Sink, { outLook }: RunOptions, result: string): void => {
  const whole = result.endsWith("\n") ? result.slice(0, -1) : result
  if (!isatty(1)) return sink.out(Words.printableLines(`${whole}\n`))
  const columns = outLook.width === undefined ? undefined : Math.max(10, Math.min(outLook.width - 1, 100) - 2)
  const rows = Markdown.text(outLook, columns, Words.printableLines(whole))
  sink.out(rows.map((row) => `${row === "" ? "" : `  ${row}`}\n`).join(""))
}

const onScreen = (options: RunOptions, sink: Sink): View => {
  const form = formOf(options)
  const size = () => ({ columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 })
  const live = (lines: ReadonlyArray<string>): void => {
    if (lines.length > 0) Echo.hide()
    sink.live(lines)
  }
  const screen = Screen.make({ write: sink.err, live, size }, options.look, form)
  const silence = Silence.make(screen.silent)
  return {
    take: (event) => {
      silence.take(event)
      screen.take(event)
    },
    earlier: screen.take,
    tick: (now) => {
      silence.tick(now)
      screen.tick(now)
    },
    head: screen.say,
    hold: (isHeld) => {
      if (isHeld) Echo.show()
      screen.hold(isHeld)
    },
    end: (result) => {
      Echo.show()
      const isShown = screen.end(result)
      if (options.output === "text" && result !== null && !(isShown && isatty(1))) printed(sink, options, result)
      screen.took()
    }
  }
}

const inLines = (options: RunOptions, sink: Sink): View => {
  const progress = Progress.make(sink.err, options.input !== undefined || DetachedChannel.isHere)
  const silence = Silence.make(progress.silent)
  return {
    take: (event) => {
      silence.take(event)
      progress.take(event)
    },
    earlier: progress.take,
    tick: silence.tick,
    head: progress.head,
    hold: () => undefined,
    end: (result) => {
      if (options.output === "text" && result !== null) printed(sink, options, result)
    }
  }
}

const asEvents = (sink: Sink): View => {
  const show = (event: LiveEvent.TaskEvent | Silence.Silent) => sink.data(EventJson.line(event))
  const silence = Silence.make(show)
  return {
    take: (event) => {
      silence.take(event)
      show(event)
    },
    earlier: () => undefined,
    tick: silence.tick,
    head: () => undefined,
    hold: () => undefined,
    end: () => undefined
  }
}

const asForClaude = (sink: Sink): View => {
  const stream = ClaudeStream.make((line) => sink.data(`${JSON.stringify(line)}\n`))
  return {
    take: stream.take,
    earlier: () => undefined,
    tick: () => undefined,
    head: (_, _now, start) => start && stream.begin(start),
    hold: () => undefined,
    end: (_, ending) => ending && stream.end(ending)
  }
}

export const make = (options: RunOptions, sink: Sink): View =>
  options.output === "claude-stream-json"
    ? asForClaude(sink)
    : options.output === "stream-json"
      ? asEvents(sink)
      : isTerminal()
        ? onScreen(options, sink)
        : inLines(options, sink)
