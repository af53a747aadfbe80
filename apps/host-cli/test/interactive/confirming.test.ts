/** Questions that a `y` says yes to: it counts for what stood on the screen when it was typed. */
import { assert, describe, it } from "vitest"
import { Display } from "../../src/interactive/screen/Display.ts"
import type { Key } from "../../src/interactive/screen/Keys.ts"
import type { Tty } from "../../src/interactive/screen/Tty.ts"

const tty: Tty = {
  size: () => ({ columns: 80, rows: 24 }),
  write: () => undefined,
  page: () => undefined,
  isBusy: () => false,
  hasMarks: false,
  hasClipboard: false,
  notice: undefined,
  sized: () => undefined,
  tellKeysApart: () => undefined,
  canSuspend: () => false,
  suspend: () => undefined,
  lend: (run) => run(),
  release: () => undefined
}

class Asking extends Display {
  done = 0
  protected override take(): void {}
  protected override draw() {
    return { lines: [this.said], caret: { row: 0, column: 0 } }
  }
  readonly ask = (): void => this.confirm("Abandon it? [y/N]", () => void (this.done += 1))
  readonly press = (name: string, seen = this.painter.frames()): boolean =>
    this.confirming({ name, bytes: name, seen } satisfies Key)
}

const asking = (): Asking => {
  const face = new Asking(tty, { color: false, ascii: false, plain: false, width: undefined })
  face.paint()
  face.ask()
  return face
}

describe("a question that a y says yes to", () => {
  it("is answered once by what is typed after it was seen", () => {
    const face = asking()
    face.paint()
    assert.isTrue(face.press("y"))
    assert.isFalse(face.press("y"))
    assert.strictEqual(face.done, 1)
  })

  it("is answered where it is asked again in the same words", () => {
    const face = asking()
    face.paint()
    face.ask()
    face.paint()
    assert.isTrue(face.press("y"))
    assert.strictEqual(face.done, 1)
  })

  it("is left by any other key", () => {
    const face = asking()
    face.paint()
    assert.isTrue(face.press("n"))
    assert.isFalse(face.press("y"))
    assert.strictEqual(face.done, 0)
  })

  it("is not answered by what was typed before it was seen, which is text then", () => {
    const face = asking()
    assert.isFalse(face.press("y"))
    assert.strictEqual(face.done, 0)
  })

  it("is not answered where something else has taken its place", () => {
    const face = asking()
    face.paint()
    face.hint("This was already answered.")
    face.paint()
    assert.isFalse(face.press("y"))
    assert.strictEqual(face.done, 0)
  })
})
