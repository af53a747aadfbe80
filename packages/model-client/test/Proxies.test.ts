import { Proxies, Redaction } from "@belay/model-client"
import { assert, describe, it } from "@effect/vitest"

const through = (env: Record<string, string>, url: string) => Proxies.ofEnvironment(env)(new URL(url))?.href

describe("a proxy", () => {
  it("is the one of the scheme, else the one for all; lower case comes first, and an empty value says nothing", () => {
    const env = { HTTPS_PROXY: "http://secure:1", HTTP_PROXY: "plain:2" }
    assert.strictEqual(through(env, "https://a.example"), "http://secure:1/")
    assert.strictEqual(through(env, "http://a.example"), "http://plain:2/")
    assert.strictEqual(through({ ...env, https_proxy: "https://mine" }, "https://a.example"), "https://mine/")
    assert.strictEqual(through({ ...env, https_proxy: " " }, "https://a.example"), "http://secure:1/")
    assert.strictEqual(through({ ALL_PROXY: "http://all:3" }, "https://a.example"), "http://all:3/")
    assert.isUndefined(through({}, "https://a.example"))
    assert.isUndefined(through({ HTTPS_PROXY: "socks5://a:1" }, "https://a.example"))
  })

  it("is left out for what NO_PROXY names, with all below it, and for this machine", () => {
    const direct = (no: string, url: string) => through({ HTTPS_PROXY: "http://p:1", NO_PROXY: no }, url) === undefined
    for (const [no, url] of [
      ["example.com", "https://example.com"],
      ["example.com", "https://a.example.com"],
      [".example.com", "https://a.example.com"],
      ["*.example.com", "https://a.example.com"],
      ["other, EXAMPLE.com:443", "https://example.com"],
      ["*", "https://example.com"],
      ["", "https://localhost:1"],
      ["", "https://127.0.0.2"],
      ["", "https://[::1]:1"]
    ] as const) {
      assert.isTrue(direct(no, url), `${no} ${url}`)
    }
    for (const [no, url] of [
      ["example.com", "https://notexample.com"],
      ["a.example.com", "https://example.com"],
      ["example.com:8443", "https://example.com"],
      ["", "https://example.com"]
    ] as const) {
      assert.isFalse(direct(no, url), `${no} ${url}`)
    }
  })

  it("keeps its login to itself", () => {
    assert.includeMembers([...Redaction.valuesOf({ https_proxy: "http://somebody:long-secret@p:1" })], ["long-secret"])
  })
})
