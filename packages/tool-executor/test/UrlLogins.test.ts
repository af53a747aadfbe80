/** Logins in addresses are in no output that is kept, in whatever pieces it comes. */
import { assert, describe, it } from "vitest"
import * as UrlLogins from "../src/workspace/text/UrlLogins.ts"

const rows: ReadonlyArray<readonly [string, string]> = [
  [
    "origin\thttps://ghp_0123456789abcdef@github.com/a/b (fetch)\n",
    "origin\thttps://<redacted>@github.com/a/b (fetch)\n"
  ],
  ["https://me:ghp_0123456789@host/x", "https://me:<redacted>@host/x"],
  ["https://x-access-token:ghs_01234567@host/x.git\n", "https://x-access-token:<redacted>@host/x.git\n"],
  ["HTTP://ghp_0123456789abcdef@host", "HTTP://<redacted>@host"],
  ["postgres://app:correct-horse@db:5432/app", "postgres://app:<redacted>@db:5432/app"],
  ["a https://a:longsecret@x b https://b:othersecret@y c", "a https://a:<redacted>@x b https://b:<redacted>@y c"],
  ["url = https://:onlypassword@host", "url = https://:<redacted>@host"],
  ["https://a:p%40ss%20word@host", "https://a:<redacted>@host"],
  // What is none, or stands for one.
  ["ssh://git@github.com/a/b.git", "ssh://git@github.com/a/b.git"],
  ["https://git@github.com/a/b.git", "https://git@github.com/a/b.git"],
  ["git@github.com:a/b.git", "git@github.com:a/b.git"],
  ["https://host/a/b@1.2.3-0123456789abcdef", "https://host/a/b@1.2.3-0123456789abcdef"],
  ["`postgres://${user}:${password}@${host}`", "`postgres://${user}:${password}@${host}`"],
  ["http://localhost:3000/@scope/name", "http://localhost:3000/@scope/name"],
  ["// a:longenough@x", "// a:longenough@x"],
  ["Password:", "Password:"],
  ["see https://example.com", "see https://example.com"]
]

const inPieces = (text: string, size: number): string => {
  const { end, push } = UrlLogins.make()
  let shown = ""
  for (let at = 0; at < text.length; at += size) shown += push(text.slice(at, at + size))
  return shown + end()
}

describe("a login in an address", () => {
  it("is taken out of a text, and nothing else is", () => {
    for (const [given, shown] of rows) assert.strictEqual(UrlLogins.text(given), shown)
  })

  it("is taken out in whatever pieces the text comes", () => {
    const all = rows.map(([given]) => given).join("\n")
    const whole = rows.map(([, shown]) => shown).join("\n")
    for (const size of [1, 2, 3, 5, 8, 13, 21, 34, 1000]) assert.strictEqual(inPieces(all, size), whole, `${size}`)
  })

  it("holds nothing back that is none", () => {
    const { push } = UrlLogins.make()
    for (const text of ["Password:", " y/n ", "https:", "a/b", "50%"]) assert.strictEqual(push(text), text)
  })
})
