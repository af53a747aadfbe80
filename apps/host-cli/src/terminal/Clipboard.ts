/** The person's clipboard, through the programs of their desktop: the image in it, and a text that is put into it. */
import * as Effect from "effect/Effect"
import { execFile, spawn } from "node:child_process"
import { type Failure, usage } from "../cli/Failure.ts"

const isElsewhere = (): boolean => (process.env["SSH_CONNECTION"] ?? "") !== ""

type Program = readonly [name: string, ...args: ReadonlyArray<string>]

const ofMac = "get the clipboard as «class PNGf»"

/** Prints it in base64, which no console changes. */
const ofWindows =
  "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); " +
  "if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); " +
  "[Convert]::ToBase64String($m.ToArray()) }"

const powershell = ["powershell", "-NoProfile", "-NonInteractive", "-STA", "-Command"] as const

const programs = ({ platform, env }: NodeJS.Process): ReadonlyArray<Program> => {
  if (platform === "darwin") return [["osascript", "-e", ofMac]]
  if (platform === "win32") return [[...powershell, ofWindows]]
  const x = ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"] as const
  return env["WAYLAND_DISPLAY"] === undefined ? [x] : [["wl-paste", "--type", "image/png"], x]
}

/** In ms, and bytes; PowerShell takes a second to begin. */
const patience = ({ platform }: NodeJS.Process): number => (platform === "win32" ? 8000 : 2000)
const most = 20_000_000

const output = ([name, ...args]: Program): Promise<Buffer> =>
  new Promise((resolve) => {
    execFile(name, args, { encoding: "buffer", timeout: patience(process), maxBuffer: most }, (cause, out) =>
      resolve(cause === null ? out : Buffer.alloc(0))
    )
  })

/** What macOS says is hexadecimal, what Windows says base64. */
const decoded = (bytes: Buffer): Buffer => {
  if (process.platform === "win32") return Buffer.from(bytes.toString("latin1").trim(), "base64")
  const [, hex] = /^«data PNGf([0-9A-F]+)»/u.exec(bytes.subarray(0, most).toString("utf8")) ?? []
  return hex === undefined ? bytes : Buffer.from(hex, "hex")
}

/** The bytes of a PNG. Errors: one line where there is none, or where the clipboard is on another machine. */
export const image: Effect.Effect<Buffer, Failure> = Effect.gen(function* () {
  if (isElsewhere()) {
    return yield* usage("the clipboard is on the other machine", "Copy the image here, and paste its path.")
  }
  for (const program of programs(process)) {
    const bytes = decoded(yield* Effect.promise(() => output(program)))
    if (bytes.length > 0) return bytes
  }
  return yield* usage("there is no image in the clipboard", "Paste the path of an image instead.")
})

/** Of these the first that is there. */
const takers = ({ platform, env }: NodeJS.Process): ReadonlyArray<Program> => {
  if (platform === "darwin") return [["pbcopy"]]
  if (platform === "win32") {
    const read = "[Console]::InputEncoding = [Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())"
    return [[...powershell, read]]
  }
  const x = env["DISPLAY"] === undefined ? [] : [["xclip", "-selection", "clipboard"] as const]
  return env["WAYLAND_DISPLAY"] === undefined ? x : [["wl-copy"], ...x]
}

/** Those of X stay in the background for as long as they have it, with what they were given of the terminal. */
const given = ([name, ...args]: Program, text: string): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(name, args, { stdio: ["pipe", "ignore", "ignore"], timeout: patience(process) })
    child.on("error", () => resolve(false))
    child.on("exit", (code) => resolve(code === 0))
    child.stdin.on("error", () => resolve(false))
    child.stdin.end(text)
  })

/** Puts a text into it; false where there is none, or where it is on another machine. */
export const write = (text: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    if (isElsewhere()) return false
    for (const program of takers(process)) {
      if (yield* Effect.promise(() => given(program, text))) return true
    }
    return false
  })
