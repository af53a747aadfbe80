import { assert, describe, it } from "@effect/vitest"
import { NetworkRule } from "@belay/approval-policy"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownResult(NetworkRule.AllowedDomains)
const isEntry = (text: string) => Result.isSuccess(decode([text]))

const asked = (authority: string) => {
  const endpoint = NetworkRule.endpointOf(authority)
  return endpoint === undefined ? "no host" : NetworkRule.shown(endpoint)
}

describe("an entry of network.allowedDomains", () => {
  it("is one exact host, with a port or without", () => {
    const fine = [
      "packages.example.com",
      "example.com:8443",
      "127.0.0.1",
      "[::1]:3000",
      "bücher.example",
      "a_b.example",
      "localhost:3000"
    ]
    assert.deepStrictEqual(
      fine.filter((text) => !isEntry(text)),
      []
    )
  })

  it("is no pattern, no URL, no login, and no address in disguise", () => {
    const wrong = [
      "",
      " ",
      "*",
      "*.example.com",
      "example.*",
      ".example.com",
      "example..com",
      "-a.example",
      "https://example.com",
      "example.com/x",
      "user@example.com",
      "example.com:",
      "example.com:0",
      "example.com:65536",
      "example.com:443:1",
      "example.com:+1",
      "a b.example",
      "a\0.example",
      "a\u200b.example",
      "a%2eexample",
      "127.1",
      "0x7f.1",
      "2130706433",
      "017700000001",
      "::1",
      "[::1%eth0]",
      "[0:0::1]",
      "[::ffff:127.0.0.1]",
      "1.2.3.4.5",
      "a,b",
      `${"a".repeat(64)}.example`,
      `${"a.".repeat(130)}example`
    ]
    assert.deepStrictEqual(wrong.filter(isEntry), [])
  })
})

describe("what a client asks for", () => {
  it("has one spelling", () => {
    const same = ["Example.COM:443", "example.com.:443", "EXAMPLE.com:443"]
    assert.deepStrictEqual([...new Set(same.map(asked))], ["example.com:443"])
    assert.strictEqual(asked("0x7f.1:80"), "127.0.0.1:80")
    assert.strictEqual(asked("2130706433:80"), "127.0.0.1:80")
    assert.strictEqual(asked("[0:0:0:0:0:0:0:1]:80"), "[::1]:80")
    assert.strictEqual(asked("[::ffff:127.0.0.1]:80"), "[::ffff:7f00:1]:80")
  })

  it("is nothing where it could be read in two ways", () => {
    const doubtful = [
      "example.com",
      "example.com:",
      "example.com:443 ",
      "example.com:443\t",
      "example.com:443:80",
      "example.com@evil.example:443",
      "user:pass@example.com:443",
      "example.com/:443",
      "example.com\\evil.example:443",
      "example.com#:443",
      "example.com?:443",
      "example.com%00:443",
      "example%2ecom:443",
      "exämple.com:443",
      "example.com。:443",
      "example.com..:443",
      "[::1:443",
      "[fe80::1%1]:443",
      "example.com:0443",
      "example.com:99999",
      "example.com:4e2",
      "[example.com]:443",
      ":443",
      "*:443"
    ]
    assert.deepStrictEqual(
      doubtful.filter((text) => asked(text) !== "no host"),
      []
    )
  })
})

describe("a connection", () => {
  const may = (domains: ReadonlyArray<string>, authority: string, ...addresses: ReadonlyArray<string>) => {
    const endpoint = NetworkRule.endpointOf(authority)
    return endpoint !== undefined && NetworkRule.refusal(domains, endpoint, addresses) === undefined
  }
  const open = "93.184.216.34"

  it("is made to what is listed, and to nothing that only looks like it", () => {
    assert.isTrue(may(["example.com"], "example.com:443", open))
    assert.isTrue(may(["Example.com."], "EXAMPLE.COM:80", open))
    assert.isTrue(may(["bücher.example"], "xn--bcher-kva.example:443", open))
    assert.isTrue(may(["example.com:8443"], "example.com:8443", open))
    const others = [
      "a.example.com:443",
      "xample.com:443",
      "example.com.evil.example:443",
      "notexample.com:443",
      "example.co:443",
      "example.com:22",
      "example.com:8443",
      "93.184.216.34:443"
    ]
    assert.deepStrictEqual(
      others.filter((authority) => may(["example.com"], authority, open)),
      []
    )
    assert.isFalse(may(["example.com:8443"], "example.com:443", open))
    assert.isFalse(may([], "example.com:443", open))
  })

  it("is not made where one of the addresses is not public and not listed itself", () => {
    const inner = [
      "127.0.0.1",
      "10.0.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "::1",
      "fe80::1",
      "fe80::1%eth0",
      "fd00::1",
      "::ffff:127.0.0.1",
      "64:ff9b::7f00:1",
      "nonsense"
    ]
    assert.deepStrictEqual(
      inner.filter((address) => may(["example.com"], "example.com:443", open, address)),
      []
    )
    assert.isTrue(may(["example.com:443", "10.0.0.1:443"], "example.com:443", "10.0.0.1"))
    assert.isFalse(may(["example.com:443", "10.0.0.1:80"], "example.com:443", "10.0.0.1"))
    assert.isFalse(may(["localhost:3000"], "localhost:3000", "127.0.0.1"))
    assert.isTrue(may(["127.0.0.1:3000"], "127.0.0.1:3000", "127.0.0.1"))
    assert.isTrue(may(["[::1]:3000"], "[::1]:3000", "::1"))
    assert.isFalse(may(["example.com"], "example.com:443"))
  })
})
