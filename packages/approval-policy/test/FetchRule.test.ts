import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, FetchRule } from "@belay/approval-policy"
import { input } from "./fixtures.ts"

const denied = (url: string, ...addresses: ReadonlyArray<string>) =>
  FetchRule.judge({ url, addresses })?.decision === "deny"

describe("FetchRule", () => {
  it("denies private, loopback, link-local and metadata addresses in every spelling", () => {
    const urls = [
      ..."127.0.0.1 127.1 2130706433 0x7f.1 0177.0.0.1 0 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1 255.255.255.255".split(
        " "
      ),
      ..."[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [fe80::1] [fd00::1] [64:ff9b::a00:1] [2002:7f00:1::] [ff02::1] [::127.0.0.1]".split(
        " "
      ),
      ..."localhost LOCALHOST. a.localhost metadata metadata.google.internal printer.local １２７.0.0.1 127。0。0。1".split(
        " "
      )
    ].map((host) => `http://${host}/latest`)
    const others = [
      "file:///etc/passwd",
      "ftp://a.com",
      "gopher://a.com",
      "javascript:x",
      "data:,x",
      "//a.com",
      "a.com",
      ""
    ]
    const odd = [
      "http://a.com\0.b.com",
      "http://a.com\\@b",
      "http://user@a.com",
      "http://a.com/\u202e",
      "http://a.com/\n"
    ]
    assert.deepStrictEqual(
      [...urls, ...others, ...odd].filter((url) => !denied(url)),
      []
    )
  })

  it("denies a name that resolves to such an address, among others too", () => {
    assert.isTrue(denied("https://evil.example.com", "93.184.216.34", "10.0.0.1"))
    assert.isTrue(denied("https://evil.example.com", "::ffff:169.254.169.254"))
    assert.isTrue(denied("https://evil.example.com", "not an address"))
    assert.isFalse(denied("https://example.com/a?b#c", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"))
    assert.isFalse(denied("http://8.8.8.8/"))
  })

  it("no setting allows it, and a public address follows the setting", () => {
    const decide = (url: string, approvals: Approvals.Approvals) =>
      ApprovalPolicy.decide(
        input({ category: "fetch", approvals, facts: { paths: [], fetch: { url, addresses: [] } } })
      )
    assert.strictEqual(decide("http://127.0.0.1/", Approvals.all).rule, "fetch.address")
    assert.strictEqual(decide("https://example.com/", Approvals.all).decision, "allow")
    assert.strictEqual(decide("https://example.com/", Approvals.ask).decision, "ask")
  })
})
