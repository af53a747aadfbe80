import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HostProxy from "../../src/network/HostProxy.ts"
import * as S from "./support.ts"

const get = (url: string, ...headers: ReadonlyArray<string>) =>
  [`GET ${url} HTTP/1.1`, ...headers, "connection: close", "", ""].join("\r\n")

const connect = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`

const listed = ["ok.example", "other.example:8443"]

const world = (domains: ReadonlyArray<string> = listed, names: Parameters<typeof S.network>[1] = {}) =>
  Effect.gen(function* () {
    const web = yield* S.web
    const network = S.network(web.port, names)
    return { web, network, ...(yield* S.proxy(domains, network.way)) }
  })

describe("a request to the proxy", () => {
  it.live("reaches a listed host, at the address that was judged, and under its own name", () =>
    Effect.gen(function* () {
      const { file, network, refused, web } = yield* world()
      const answer = yield* S.said(file, [get("http://OK.example./a?b=1", "Host: evil.example", "X-A: 1")])
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*x-of: web\r\n(?:.*\r\n)*\r\nhello$/u)
      assert.match(web.got[0] ?? "", /^GET \/a\?b=1 HTTP\/1\.1\r\n/u)
      assert.deepStrictEqual(web.got[0]?.match(/^host: .*$/gimu), ["host: ok.example"])
      assert.include(web.got[0], "x-a: 1")
      assert.deepStrictEqual(network.dialled, [`${S.publicAddress} 80`])
      assert.deepStrictEqual(refused(), [])
    })
  )

  it.live("is refused where it could lead elsewhere, and no server and no name server hears of it", () =>
    Effect.gen(function* () {
      const { file, network, web } = yield* world()
      const attacks = [
        get("http://evil.example/"),
        get("http://evil.example/", "Host: ok.example"),
        get("http://ok.example@evil.example/"),
        get("http://ok.example:80@evil.example/"),
        get("http://user:pass@ok.example/"),
        get("http://evil.example#@ok.example/"),
        get("http://evil.example?@ok.example/"),
        get("http://ok.example\\@evil.example/"),
        get("http://ok.example.evil.example/"),
        get("http://sub.ok.example/"),
        get("http://ok%2eexample/"),
        get("http://ok.example:22/"),
        get("http://ok.example:8443/"),
        get("http://ok.example:080/"),
        get("http://other.example/"),
        get("http://[::1]/"),
        get("http://[::ffff:127.0.0.1]/"),
        get("http://127.0.0.1/"),
        get("http://0x7f.1/"),
        get("http://2130706433/"),
        get("http://localhost/"),
        get("http:///ok.example/"),
        get("http:ok.example"),
        get("https://ok.example/"),
        get("ftp://ok.example/"),
        get("//ok.example/", "Host: ok.example"),
        get("/", "Host: ok.example"),
        "GET http://ok.example/ HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        "POST http://ok.example/ HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET http://ok.example/ HTTP/1.1\r\nhost: a\r\nx: a\nGET http://evil.example/ HTTP/1.1\r\nconnection: close\r\n\r\n",
        connect("evil.example:443"),
        connect("ok.example"),
        connect("ok.example:80"),
        connect("ok.example:22"),
        connect("ok.example:443@evil.example:443"),
        connect("ok.example@evil.example:443"),
        connect("http://ok.example:443"),
        connect("ok.example:443/"),
        connect("ok.example:443:80"),
        connect("other.example:443"),
        connect("[::1]:443"),
        connect("93.184.216.34:443"),
        connect("169.254.169.254:80")
      ]
      for (const attack of attacks) {
        const answer = yield* S.said(file, [attack])
        assert.match(answer, /^HTTP\/1\.1 (?:400|403) /u, attack)
      }
      assert.deepStrictEqual([web.got, network.dialled, network.names], [[], [], []])
    })
  )

  it.live("is judged on its own, also behind one that was let through", () =>
    Effect.gen(function* () {
      const { file, refused, web } = yield* world()
      const two = `GET http://ok.example/one HTTP/1.1\r\nhost: ok.example\r\n\r\n${get("http://evil.example/two")}`
      const answer = yield* S.said(file, [two])
      assert.deepStrictEqual(answer.match(/HTTP\/1\.1 \d+/gu), ["HTTP/1.1 200", "HTTP/1.1 403"])
      assert.strictEqual(web.got.length, 1)
      assert.deepStrictEqual(refused(), ["evil.example:80: it is not listed in network.allowedDomains"])
    })
  )

  it.live("cannot hide a second one in a body, whatever it says of the body's length", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const web = yield* S.server((text, socket) => {
        const [head = "", body = ""] = text.split("\r\n\r\n")
        const ends = /transfer-encoding: chunked/i.test(head) ? text.endsWith("0\r\n\r\n") : body.includes("smuggled")
        if (ends) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", () => seen.push(head))
      })
      const { file } = yield* S.proxy(listed, S.network(web.port).way)
      const hidden = "GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n"
      const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
      const chunked = "transfer-encoding: chunked"
      const sized = `content-length: ${hidden.length}`
      for (const [header, body] of [
        [chunked, chunk],
        [`${chunked}\r\nconnection: transfer-encoding, close`, chunk],
        [sized, hidden],
        [`${sized}\r\nconnection: content-length, close`, hidden]
      ] as const) {
        for (const method of ["GET", "POST", "DELETE", "HEAD", "OPTIONS"]) {
          const request = `${method} http://ok.example/ HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n${body}`
          yield* S.said(file, [request], (text) => text.includes("\r\n\r\n"))
          assert.match(seen.pop() ?? "nothing", /^(?:content-length: \d+|transfer-encoding: chunked)$/imu, request)
        }
      }
    })
  )

  it.live("gets an error where its server answers what is no answer", () =>
    Effect.gen(function* () {
      for (const answer of ["HTTP/1.1 099 Low\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n", "nonsense\r\n\r\n", ""]) {
        const server = yield* S.server((_, socket) => socket.end(answer))
        const { file } = yield* S.proxy(listed, S.network(server.port).way)
        assert.match(yield* S.said(file, [get("http://ok.example/")]), /^HTTP\/1\.1 502 /u, answer)
      }
    })
  )

  it.live("goes to the address that was judged, when the name leads elsewhere a moment later", () =>
    Effect.gen(function* () {
      const names = { "ok.example": [[S.publicAddress], ["127.0.0.1"], [S.publicAddress, "10.0.0.1"], []] }
      const { file, network, refused, web } = yield* world(listed, names)
      const status = () => Effect.map(S.said(file, [get("http://ok.example/")]), (text) => text.slice(9, 12))
      assert.deepStrictEqual(yield* Effect.all([status(), status(), status(), status()]), ["200", "403", "403", "502"])
      assert.deepStrictEqual(network.dialled, [`${S.publicAddress} 80`])
      assert.strictEqual(network.names.length, 4)
      assert.strictEqual(web.got.length, 1)
      assert.include(refused()[0], "it leads to '127.0.0.1', which is not public")
    })
  )

  it.live("reaches an address of this machine only where exactly that one is listed", () =>
    Effect.gen(function* () {
      const { file, network } = yield* world(["127.0.0.1:3000", "[::1]:3000"])
      const status = (url: string) => Effect.map(S.said(file, [get(url)]), (text) => text.slice(9, 12))
      assert.strictEqual(yield* status("http://127.0.0.1:3000/"), "200")
      assert.strictEqual(yield* status("http://0x7f.1:3000/"), "200")
      assert.strictEqual(yield* status("http://[0::1]:3000/"), "200")
      for (const url of [
        "http://127.0.0.1/",
        "http://127.0.0.2:3000/",
        "http://localhost:3000/",
        "http://[::]:3000/"
      ]) {
        assert.strictEqual(yield* status(url), "403", url)
      }
      assert.deepStrictEqual(network.dialled, ["127.0.0.1 3000", "127.0.0.1 3000", "::1 3000"])
    })
  )
})

describe("a tunnel", () => {
  const through = (domains: ReadonlyArray<string>, authority: string, pieces: ReadonlyArray<Uint8Array | string>) =>
    Effect.gen(function* () {
      const server = yield* S.server((text, socket) => socket.end(`got ${text.length}`))
      const { file, refused } = yield* S.proxy(domains, S.network(server.port).way)
      const answer = yield* S.said(file, [connect(authority), ...pieces])
      return { answer, got: server.got[0] ?? "", refused: refused() }
    }).pipe(Effect.scoped)

  const established = "HTTP/1.1 200 Connection established\r\n\r\n"

  it.live("passes TLS that asks for its host, byte by byte as it came", () =>
    Effect.gen(function* () {
      const hello = yield* S.hello("ok.example")
      const { answer, got } = yield* through(listed, "ok.example:443", [hello])
      assert.strictEqual(got, hello.toString("latin1"))
      assert.strictEqual(answer, `${established}got ${hello.length}`)
      const pieces = [hello.subarray(0, 1), hello.subarray(1, 7), hello.subarray(7)]
      assert.strictEqual((yield* through(listed, "ok.example:443", pieces)).got, hello.toString("latin1"))
      const records = S.message(S.names("ok.example"))
      const split = [S.record(records.subarray(0, 9)), S.record(records.subarray(9))]
      assert.strictEqual((yield* through(listed, "ok.example:443", split)).got.length, Buffer.concat(split).length)
    })
  )

  it.live("passes nothing that may be meant for another host of its address", () =>
    Effect.gen(function* () {
      const request = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"
      const ok = S.names("ok.example")
      const attacks: ReadonlyArray<readonly [string, ReadonlyArray<Uint8Array | string>]> = [
        ["ok.example:443", [yield* S.hello("evil.example")]],
        ["ok.example:443", [yield* S.hello()]],
        ["ok.example:443", [S.record(S.message(S.names("ok.example", "evil.example")))]],
        ["ok.example:443", [S.record(S.message(ok, S.names("evil.example")))]],
        ["ok.example:443", [S.record(S.message(ok, S.extension(0xfe0d, Buffer.alloc(8))))]],
        ["ok.example:443", [S.record(S.message(S.extension(0, Buffer.from([0, 9, 0, 0]))))]],
        ["ok.example:443", [S.record(S.message(S.names("ok.example\0evil.example")))]],
        ["ok.example:443", [S.record(S.message(S.names("sub.ok.example")))]],
        ["ok.example:443", [S.record(Buffer.concat([S.message(ok), Buffer.alloc(0)]).subarray(1))]],
        ["ok.example:443", [S.record(Buffer.alloc(0))]],
        ["ok.example:443", [request]],
        ["ok.example:443", ["\r\n", request]],
        ["ok.example:443", ["\0"]],
        ["other.example:8443", [request]],
        ["other.example:8443", ["G", "ET / HT", "TP/1.1\r\nHost: evil.example\r\n\r\n"]],
        ["other.example:8443", [`\r\n\r\n${request}`]],
        ["other.example:8443", ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]],
        ["other.example:8443", ["x".repeat(9000)]],
        ["other.example:8443", [yield* S.hello("evil.example")]]
      ]
      for (const [authority, pieces] of attacks) {
        const { answer, got, refused } = yield* through(listed, authority, pieces)
        const attack = `${authority} ${JSON.stringify(pieces.map(String)).slice(0, 200)}`
        assert.deepStrictEqual([answer, got, refused.length], [established, "", 1], attack)
      }
    })
  )

  it.live("passes other protocols to a port that is listed itself, whoever speaks first", () =>
    Effect.gen(function* () {
      for (const first of ["SSH-2.0-OpenSSH_9.6\r\n", "EHLO here\r\n", "\0\0\0\u0008\u0004\u00d2\u0016\u002f"]) {
        const { answer, got } = yield* through(listed, "other.example:8443", [Buffer.from(first, "latin1")])
        assert.deepStrictEqual([answer, got], [`${established}got ${first.length}`, first])
      }
      const greeting = yield* S.server((_, socket) => socket.end("bye\n"), "220 hello\r\n")
      const { file } = yield* S.proxy(listed, S.network(greeting.port).way)
      const answer = yield* S.said(file, [connect("other.example:8443")], (text) => text.endsWith("220 hello\r\n"))
      assert.strictEqual(answer, `${established}220 hello\r\n`)
    })
  )
})

describe("the proxy", () => {
  it.live("on a port of loopback takes no request without its password", () =>
    Effect.gen(function* () {
      const web = yield* S.web
      const at = { password: "secret" }
      const { port } = yield* HostProxy.open({ domains: listed, network: S.network(web.port).way, at })
      const basic = (text: string) => `Proxy-Authorization: Basic ${Buffer.from(text).toString("base64")}`
      const wrong = [
        "X: 1",
        basic("belay:wrong"),
        basic("belay:secret2"),
        basic("secret"),
        "Proxy-Authorization: secret"
      ]
      for (const header of wrong) {
        assert.match(yield* S.said(port, [get("http://ok.example/", header)]), /^HTTP\/1\.1 407 /u, header)
        assert.match(yield* S.said(port, [`CONNECT ok.example:443 HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`]), / 407 /u)
      }
      assert.deepStrictEqual(web.got, [])
      assert.match(yield* S.said(port, [get("http://ok.example/", basic("belay:secret"))]), /^HTTP\/1\.1 200 /u)
      assert.notInclude(web.got[0], "uthorization")
    })
  )

  it.live("ends with its scope, and every tunnel with it", () =>
    Effect.gen(function* () {
      const server = yield* S.server()
      const ended = yield* Effect.scoped(
        Effect.gen(function* () {
          const { file } = yield* S.proxy(listed, S.network(server.port).way)
          const { promise, resolve } = Promise.withResolvers<void>()
          const isUp = (text: string) => {
            if (text !== "") resolve()
            return false
          }
          const client = yield* Effect.forkChild(S.said(file, [connect("other.example:8443")], isUp))
          yield* Effect.promise(() => promise)
          return { client, file }
        })
      )
      yield* Fiber.join(ended.client)
      assert.strictEqual(yield* S.said(ended.file, []), "")
    })
  )

  it.live("tells of ten refusals and no more", () =>
    Effect.gen(function* () {
      const { file, refused } = yield* world()
      for (let number = 0; number < 15; number++) yield* S.said(file, [get(`http://a${number}.example/`)])
      assert.strictEqual(refused().length, 10)
    })
  )
})
