/** Assertions that need no library. */
import assert from "node:assert/strict"
import { isDeepStrictEqual } from "node:util"

export const deepStrictEqual = (actual: unknown, expected: unknown, message?: string): void =>
  assert.deepStrictEqual(actual, expected, message)
export const strictEqual = (actual: unknown, expected: unknown, message?: string): void =>
  assert.strictEqual(actual, expected, message)
export const fail = (message: string): never => assert.fail(message)
export const match = (text: string, pattern: RegExp): void => assert.match(text, pattern)
export const isTrue = (value: unknown, message?: string): void => assert.strictEqual(value, true, message)
export const isNull = (value: unknown): void => assert.strictEqual(value, null)
export const isUndefined = (value: unknown): void => assert.strictEqual(value, undefined)
export const isDefined = (value: unknown): void => assert.notStrictEqual(value, undefined)
export const isAbove = (value: number, least: number): void =>
  assert.ok(value > least, `${value} is not above ${least}`)
export const isAtLeast = (value: number, least: number): void => assert.ok(value >= least, `${value} is below ${least}`)
export const include = <A>(list: ReadonlyArray<A>, item: A): void =>
  assert.ok(list.includes(item), `${String(item)} is not among ${list.join(", ")}`)
export const deepInclude = (actual: object | undefined, part: object): void => {
  for (const [name, value] of Object.entries(part)) {
    const found = (actual as Readonly<Record<string, unknown>> | undefined)?.[name]
    assert.ok(isDeepStrictEqual(found, value), `${name} is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`)
  }
}
