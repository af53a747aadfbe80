import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Words from "../src/internal/database/words.ts"
import { encryptionOf, placeOf } from "../src/internal/postgres/address.ts"

const sslOf = (url: string) => encryptionOf(Redacted.make(url)).ssl === true

describe("the address of a server", () => {
  it("asks for no encryption on this machine alone, wherever it names the host", () => {
    const here = [
      "postgres:///db",
      "postgres://u:p@localhost/db",
      "postgres://127.0.0.1:5432/db",
      "postgres://[::1]/db",
      "postgres:///db?host=/var/run/postgresql",
      "postgres://%2Fvar%2Frun/db",
      "postgres://db.example.com/db?host=::1"
    ]
    const elsewhere = [
      "postgres://db.example.com/db?sslmode=disable",
      "postgres:///db?host=db.example.com",
      "postgres://localhost/db?sslmode=disable&host=localhost&host=db.example.com",
      "postgres://127.0.0.1.example.com/db",
      "no address"
    ]
    assert.deepStrictEqual(here.filter(sslOf), [])
    assert.deepStrictEqual(elsewhere.filter(sslOf), elsewhere)
  })

  it("is told with its host, and without names and passwords", () => {
    const place = placeOf(Redacted.make("postgres://u:secret@localhost/db?host=db.example.com&password=secret"))
    assert.strictEqual(place, "postgres://db.example.com/db")
  })
})

describe("the words of a text for a server", () => {
  it("are no more than it takes of one text", () => {
    const vector = Words.vectorOf(Array.from({ length: 20_000 }, (_, at) => `字${"漢".repeat(60)}${at}`).join(" "))
    assert.isBelow(Buffer.byteLength(vector.replaceAll(/'|:\d+/g, "")), 1_000_000)
    assert.strictEqual(Words.vectorOf("To be, or not to be"), "'to':1 'be':2 'or':3 'not':4 'to':5 'be':6")
  })
})
