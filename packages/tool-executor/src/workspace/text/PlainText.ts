/**
 * Text of foreign origin as data: names and program output without anything a terminal or a reader could act on.
 */

// Escape sequences whole (CSI, OSC and the other strings, two-character ones), so that no remains are left as text.
// oxlint-disable-next-line no-control-regex
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*[0-~])/g
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g
/** Bidirectional overrides and isolates, zero-width and tag characters: they make text look like other text. */
const invisible = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

const spelled = (char: string) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Program output: escape sequences and control characters are gone, a carriage return is a line break, invisible
 * characters are spelled out as `\u{..}`, halves of surrogate pairs replaced.
 */
export const output = (text: string): string =>
  text
    .replaceAll(sequences, "")
    .replaceAll(/\r+\n?/g, "\n")
    .replaceAll(controls, "")
    .replaceAll(invisible, spelled)
    .toWellFormed()

/** A name on one line: whatever is not plain is spelled out. */
export const name = (text: string): string =>
  text
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll(controls, spelled)
    .replaceAll(invisible, spelled)
    .replaceAll(/[\u2028\u2029]/g, spelled)
    .toWellFormed()
