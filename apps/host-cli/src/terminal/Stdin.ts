/**
 * What comes on stdin beside the prompt of a run, when stdin is no terminal.
 *
 * Whoever starts a program may leave its stdin open and never write: what was not asked for is waited for a short time,
 * and its end not for ever. `-` among the arguments says that something comes, however long it takes. Nothing is dropped
 * without a line that says so.
 */
import { Message } from "@belay/message-state"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import { fstatSync } from "node:fs"
import { isatty } from "node:tty"
import { type Failure, usage } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"

/** Stands for what comes on stdin. */
const sign = "-"

/** Bytes; the rest is not read. */
const largest = 16_000_000

/** Until the first byte, and between two of them. */
const patience = { first: 3, next: 30 }

/** A wait of this length is told. */
const told = 10

interface Came {
  readonly bytes: Buffer
  /** Why this is not all of it, as a sentence. */
  readonly cut?: string
}

const isSign = (word: string | undefined): boolean => word === sign

const nothing: Came = { bytes: Buffer.alloc(0) }

/** The pieces of a stream; its end, or what it failed with, ends the queue. */
const pieces = (input: NodeJS.ReadableStream) =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<Buffer, Cause.Done>()
    const end = () => void Queue.endUnsafe(queue)
    const data = (piece: Buffer | string) => void Queue.offerUnsafe(queue, Buffer.from(piece as Buffer))
    yield* Effect.acquireRelease(
      Effect.sync(() => input.on("data", data).on("end", end).on("error", end).resume()),
      () => Effect.sync(() => input.removeListener("data", data).removeListener("end", end).pause())
    )
    return queue
  })

/** Reads a stream to its end, or as far as it is waited for. */
export const read = (input: NodeJS.ReadableStream, isExpected: boolean, sink: Pick<Sink, "err">): Effect.Effect<Came> =>
  Effect.gen(function* () {
    const queue = yield* pieces(input)
    const all: Array<Buffer> = []
    let size = 0
    const next = Effect.option(Queue.take(queue))
    let isTold = false
    const tell = Effect.sync(() => {
      if (!isTold) sink.err("Waiting for stdin to end.\n")
      isTold = true
    })
    const waited = Effect.sleep(`${told} seconds`).pipe(Effect.andThen(tell), Effect.andThen(Effect.never))
    const within = (seconds: number) =>
      isExpected ? Effect.asSome(next) : Effect.timeoutOption(next, `${seconds} seconds`)
    for (;;) {
      const seconds = size === 0 ? patience.first : patience.next
      const found = yield* Effect.raceFirst(within(seconds), waited)
      if (Option.isNone(found)) {
        if (size === 0) {
          sink.err(`Nothing has come on stdin for ${seconds} s: going on without it. To wait for it, add "${sign}".\n`)
          return nothing
        }
        sink.err(`Nothing more has come on stdin for ${seconds} s: going on with what came. To wait, add "${sign}".\n`)
        return { bytes: Buffer.concat(all), cut: "More may have come later." }
      }
      if (Option.isNone(found.value)) return { bytes: Buffer.concat(all) }
      all.push(found.value.value)
      size += found.value.value.length
      if (size > largest) {
        sink.err(`Only the first ${largest / 1_000_000} MB of stdin are read.\n`)
        const cut = `Only the first ${largest / 1_000_000} MB were read.`
        return { bytes: Buffer.concat(all).subarray(0, largest), cut }
      }
    }
  }).pipe(Effect.scoped)

/** A device such as /dev/null gives nothing that is meant; a terminal is there to answer. */
const isOpen = (): boolean => {
  try {
    return !isatty(0) && !fstatSync(0).isCharacterDevice()
  } catch {
    return false
  }
}

/** What comes; nothing from a terminal. It is not read again, and keeps no process. */
const all = (isExpected: boolean, sink: Sink): Effect.Effect<Came, Failure> =>
  Effect.suspend((): Effect.Effect<Came, Failure> => {
    if (isExpected && isatty(0)) {
      return Effect.fail(
        usage(`"${sign}" is for what comes on stdin, and that is a terminal`, "Pipe something into it.")
      )
    }
    if (!isOpen()) return Effect.succeed(nothing)
    const { stdin } = process
    return Effect.ensuring(
      read(stdin, isExpected, sink),
      Effect.sync(() => stdin.destroy())
    )
  })

const inWords = ({ bytes, cut }: Came): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    const { GivenBytes } = yield* Effect.promise(() => import("@belay/tool-executor/workspace"))
    const text = GivenBytes.textOf(bytes)
    if (cut !== undefined) return yield* usage("what came on stdin is too long for a message", "Give a shorter one.")
    if (Result.isFailure(text)) {
      return yield* usage(
        `what came on stdin is not text but ${text.failure.what}`,
        "Say as an argument what to do with it."
      )
    }
    return text.success.trim()
  })

/** The words of a message, where `-` alone stands for what comes on stdin. */
export const message = (args: ReadonlyArray<string>, sink: Sink): Effect.Effect<string, Failure> =>
  args.length === 1 && isSign(args[0])
    ? Effect.gen(function* () {
        const text = yield* Effect.flatMap(all(true, sink), inWords)
        return text === "" ? yield* usage("nothing came on stdin", "Say something, as an argument or there.") : text
      })
    : Effect.succeed(args.join(" ").trim())

/** What is asked for, and what the model reads with it. */
export interface Prompt {
  readonly text: string
  readonly attached: Effect.Effect<ReadonlyArray<Message.Attachment>, Failure>
}

const attachment = ({ bytes, cut }: Came) =>
  Effect.gen(function* () {
    const { GivenBytes } = yield* Effect.promise(() => import("@belay/tool-executor/workspace"))
    return GivenBytes.shown({ bytes, name: "stdin", cut }).flatMap((block): ReadonlyArray<Message.Attachment> => {
      if (block.type === "image") return [Message.text("<stdin>\n(an image)\n</stdin>"), block]
      // What stands in it cannot end it.
      const text = block.text.replaceAll(/<\/(?=\s*stdin)/giu, "<\\/").trimEnd()
      return text === "" ? [] : [Message.text(`<stdin>\n${text}\n</stdin>`)]
    })
  })

/** Of a run: the arguments, and what comes on stdin with them; without arguments that is the prompt. */
export const prompt = (args: ReadonlyArray<string>, mayRead: boolean, sink: Sink): Effect.Effect<Prompt, Failure> =>
  Effect.gen(function* () {
    const [isFirst, isLast] = [isSign(args[0]), args.length > 1 && isSign(args.at(-1))]
    const text = args
      .slice(isFirst ? 1 : 0, isLast ? -1 : undefined)
      .join(" ")
      .trim()
    const isExpected = isFirst || isLast
    if (isExpected && !mayRead) return yield* usage(`"${sign}" and --input cannot both have stdin`, "Leave one out.")
    if (text !== "") {
      const attached = mayRead ? Effect.flatMap(all(isExpected, sink), attachment) : Effect.succeed([])
      return { text, attached }
    }
    const piped = mayRead && (isExpected || !isatty(0)) ? yield* Effect.flatMap(all(true, sink), inWords) : ""
    if (piped !== "") return { text: piped, attached: Effect.succeed([]) }
    return yield* usage("there is no prompt", 'Give it as an argument, such as belay run "fix the tests", or on stdin.')
  })
