/**
 * Text of the model or of a file name as it may stand in a reason: on one line, with control, bidi and tag characters
 * shown as escapes, and long text shortened in the middle so that its tail stays visible.
 */
export const deceptive = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{E0000}-\u{E007F}]/u

const limit = 200

export const quote = (text: string): string => {
  const short = text.length <= limit ? text : `${text.slice(0, limit / 2)}…${text.slice(-limit / 2)}`
  if (!deceptive.test(short)) return `'${short}'`
  const shown = Array.from(short, (char) =>
    deceptive.test(char) ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char
  )
  return `'${shown.join("")}'`
}
