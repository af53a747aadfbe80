/**
 * Pictures as one moving picture: an animated WebP, which every browser shows where a picture stands.
 *
 * Chromium encodes; of each picture after the first only the part that changed is kept. The container is put together
 * here. Source: https://developers.google.com/speed/webp/docs/riff_container
 */
import type { Page } from "playwright-core"

export interface Frame {
  /** Of a PNG; all have the same size. */
  readonly png: Buffer
  readonly ms: number
}

interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly webp: string
}

/** Given the pictures one by one, it gives the part that is new of each; nothing when there is none. */
const differ = `(() => {
  let before
  const canvas = document.createElement("canvas")
  const context = canvas.getContext("2d", { willReadFrequently: true })
  const changed = (now, width, height) => {
    if (before === undefined) return [0, 0, width, height]
    let [left, top, right, bottom] = [width, height, 0, 0]
    for (let at = 0; at < now.length; at += 1) {
      if (now[at] === before[at]) continue
      const [x, y] = [at % width, Math.floor(at / width)]
      ;[left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)]
    }
    // A place in the container is an even one.
    return [left - (left % 2), top - (top % 2), right, bottom]
  }
  globalThis.partOf = async (png) => {
    const image = await createImageBitmap(await (await fetch("data:image/png;base64," + png)).blob())
    const { height, width } = image
    Object.assign(canvas, { height, width })
    context.drawImage(image, 0, 0)
    const now = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)
    const [x, y, right, bottom] = changed(now, width, height)
    before = now
    if (right <= x) return null
    const piece = document.createElement("canvas")
    Object.assign(piece, { width: right - x, height: bottom - y })
    piece.getContext("2d").drawImage(image, -x, -y)
    return { x, y, width: right - x, height: bottom - y, webp: piece.toDataURL("image/webp", 0.85).split(",")[1] }
  }
})()`

const chunk = (name: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.write(name, "latin1")
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

const numbers = (bytes: number, ...values: ReadonlyArray<number>): Buffer => {
  const buffer = Buffer.alloc(bytes * values.length)
  values.forEach((value, index) => buffer.writeUIntLE(value, index * bytes, bytes))
  return buffer
}

/** The chunks of a still picture that hold its pixels. */
const pixels = (webp: Buffer): Buffer => {
  const found: Array<Buffer> = []
  for (let at = 12; at + 8 <= webp.length;) {
    const length = 8 + webp.readUInt32LE(at + 4)
    const padded = length + (length % 2)
    if (/^(VP8 |VP8L|ALPH)$/u.test(webp.toString("latin1", at, at + 4))) found.push(webp.subarray(at, at + padded))
    at += padded
  }
  return Buffer.concat(found)
}

/** Shown for ever, each part in its place over what was there. */
const container = (width: number, height: number, parts: ReadonlyArray<Part & { readonly ms: number }>): Buffer => {
  const frames = parts.map((part) =>
    chunk(
      "ANMF",
      numbers(3, part.x / 2, part.y / 2, part.width - 1, part.height - 1, part.ms),
      numbers(1, 2),
      pixels(Buffer.from(part.webp, "base64"))
    )
  )
  const animation = 2
  const extended = chunk("VP8X", numbers(1, animation, 0, 0, 0), numbers(3, width - 1, height - 1))
  const forEver = chunk("ANIM", numbers(4, 0), numbers(2, 0))
  return chunk("RIFF", Buffer.from("WEBP"), extended, forEver, ...frames)
}

const prepare = (page: Page): Promise<unknown> => page.evaluate(differ)

const partOf = async (page: Page, png: Buffer): Promise<Part | null> =>
  (await page.evaluate(`partOf("${png.toString("base64")}")`)) as Part | null

/** One picture as a WebP, which loses nothing. */
export const still = async (page: Page, png: Buffer): Promise<Buffer> => {
  await prepare(page)
  return Buffer.from((await partOf(page, png))?.webp ?? "", "base64")
}

/** All of them, one after another, for ever; it loses nothing. */
export const make = async (page: Page, frames: ReadonlyArray<Frame>): Promise<Buffer> => {
  await prepare(page)
  const parts: Array<Part & { ms: number }> = []
  for (const { ms, png } of frames) {
    const part = await partOf(page, png)
    const last = parts.at(-1)
    if (part !== null) parts.push({ ...part, ms })
    else if (last !== undefined) last.ms += ms
  }
  const [first] = parts
  if (first === undefined) throw new Error("belay: there are no pictures. Run the stories first.")
  return container(first.width, first.height, parts)
}
