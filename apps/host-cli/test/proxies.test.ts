/** The way to a service through a proxy, and certificates of one's own: real TLS, a real proxy, no flag of Node. */
import { ScriptedServer } from "@belay/testkit"
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import * as tls from "node:tls"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { alone as belay, type Environment, folder } from "./support/cli.ts"

const host = "models.test"

/** A certificate for the host, by an authority that no machine trusts. */
const certified = (directory: string) => {
  const openssl = (...args: ReadonlyArray<string>) =>
    execFileSync("openssl", args, { cwd: directory, stdio: ["ignore", "ignore", "pipe"] })
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Own authority", "-days", "30")
  openssl("req", ...key, "-keyout", "host.key", "-out", "host.csr", "-subj", `/CN=${host}`)
  writeFileSync(path.join(directory, "host.ext"), `subjectAltName=DNS:${host}\n`)
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30", "-extfile", "host.ext"]
  openssl("x509", "-req", "-in", "host.csr", ...signed, "-out", "host.pem")
  return { ca: path.join(directory, "ca.pem"), file: (name: string) => readFileSync(path.join(directory, name)) }
}

const listening = (server: net.Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port))
  })

let model: ScriptedServer.ScriptedServer
let secure: tls.Server
let ca: string
let proxied: number
const tunnels: Array<{ readonly target: string; readonly login: string | undefined }> = []

const proxy = createServer().on("connect", (request, client: net.Socket) => {
  tunnels.push({ target: request.url ?? "", login: request.headers["proxy-authorization"] })
  if (request.headers["proxy-authorization"] === undefined) {
    return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
  }
  const { port } = secure.address() as net.AddressInfo
  const way = net.connect(port, "127.0.0.1", () => {
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    way.pipe(client).pipe(way)
  })
  way.on("error", () => client.destroy())
  client.on("error", () => way.destroy())
})

beforeAll(async () => {
  model = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "Work" },
        shared: true,
        answers: [
          { content: [{ type: "tool_use", name: "list_files", input: { path: "." } }] },
          { content: [{ type: "tool_use", name: "attempt_completion", input: { result: "Done." } }] }
        ]
      }
    ]
  })
  const made = certified(folder())
  ca = made.ca
  secure = tls.createServer({ key: made.file("host.key"), cert: made.file("host.pem") }, (socket) => {
    const way = net.connect(model.port, "127.0.0.1")
    way.pipe(socket).pipe(way)
    way.on("error", () => socket.destroy())
    socket.on("error", () => way.destroy())
  })
  secure.on("tlsClientError", () => {})
  await listening(secure)
  proxied = await listening(proxy)
})

afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  secure.close()
  await model.close()
})

const run = async (env: Environment) => {
  tunnels.length = 0
  const all = {
    BELAY_HOME: folder(),
    ANTHROPIC_BASE_URL: `https://${host}`,
    ANTHROPIC_API_KEY: "sk-of-the-test",
    ...env
  }
  return belay(["run", "Work"], all, folder())
}

describe("a service behind a proxy", () => {
  it("is reached through one tunnel, with the login of the proxy and certificates of one's own", async () => {
    // A password with a `%` that begins no escape is taken as it is.
    const env = { HTTPS_PROXY: `http://some:b%ody@127.0.0.1:${proxied}`, NODE_EXTRA_CA_CERTS: ca }
    const ran = await run(env)
    assert.deepStrictEqual([ran.code, ran.stdout], [0, ["Done."]], ran.stderr.join("\n"))
    const login = `Basic ${Buffer.from("some:b%ody").toString("base64")}`
    assert.deepStrictEqual(tunnels, [{ target: `${host}:443`, login }])
    assert.lengthOf(model.requests, 2)
  })

  it("is not trusted without them, and not asked for where NO_PROXY names it or the proxy refuses: one line says why", async () => {
    const login = `http://some:body@127.0.0.1:${proxied}`
    const [untrusted, direct, refused] = await Promise.all([
      run({ https_proxy: login }),
      run({ HTTPS_PROXY: `http://127.0.0.1:1`, NO_PROXY: host, NODE_EXTRA_CA_CERTS: ca }),
      run({ HTTPS_PROXY: `http://127.0.0.1:${proxied}`, NODE_EXTRA_CA_CERTS: ca })
    ])
    for (const { code } of [untrusted, direct, refused]) assert.strictEqual(code, 4)
    assert.match(untrusted.stderr.join("\n"), /no answer from models\.test: .*(?:CERT|SIGNATURE|certificate)/i)
    assert.match(direct.stderr.join("\n"), /no answer from models\.test: (?:ENOTFOUND|EAI_AGAIN)/)
    assert.match(refused.stderr.join("\n"), /the proxy 127\.0\.0\.1:\d+ refused the connection \(407\)/)
  })
})
