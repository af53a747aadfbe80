/** An image of the person's clipboard, through the program of their desktop. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { type Failure, usage } from "../cli/Failure.ts"

type Program = readonly [name: string, ...args: ReadonlyArray<string>]

const ofMac = "get the clipboard as «class PNGf»"

const programs = ({ platform, env }: NodeJS.Process): ReadonlyArray<Program> => {
  if (platform === "darwin") return [["osascript", "-e", ofMac]]
  const x = ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"] as const
  return env["WAYLAND_DISPLAY"] === undefined ? [x] : [["wl-paste", "--type", "image/png"], x]
}

/** In ms, and bytes. */
const patience = 2000
const most = 20_000_000

const output = ([name, ...args]: Program): Promise<Buffer> =>
  new Promise((resolve) => {
    execFile(name, args, { encoding: "buffer", timeout: patience, maxBuffer: most }, (cause, out) =>
      resolve(cause === null ? out : Buffer.alloc(0))
    )
  })

/** What macOS says is hexadecimal. */
const decoded = (bytes: Buffer): Buffer => {
  const [, hex] = /^«data PNGf([0-9A-F]+)»/u.exec(bytes.subarray(0, most).toString("utf8")) ?? []
  return hex === undefined ? bytes : Buffer.from(hex, "hex")
}

/** The bytes of a PNG. Errors: one line where there is none, or where the clipboard is on another machine. */
export const image: Effect.Effect<Buffer, Failure> = Effect.gen(function* () {
  if ((process.env["SSH_CONNECTION"] ?? "") !== "") {
    return yield* usage("the clipboard is on the other machine", "Copy the image here, and paste its path.")
  }
  for (const program of programs(process)) {
    const bytes = decoded(yield* Effect.promise(() => output(program)))
    if (bytes.length > 0) return bytes
  }
  return yield* usage("there is no image in the clipboard", "Paste the path of an image instead.")
})
