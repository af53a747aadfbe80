/**
 * Clouds in front of a scripted server: what they take is put as they want it, and checked as they check it.
 *
 * Bedrock recomputes the signature of every request from its secret key, and frames the answer as binary events. Vertex wants
 * a token, which its own metadata server hands out to who asks as Google's library does.
 * Sources: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html,
 * https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html,
 * https://cloud.google.com/compute/docs/metadata/querying-metadata
 */
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http"
import { crc32 } from "node:zlib"

/** A server that takes the place of a cloud service and checks how requests are signed. */
export interface Cloud {
  /** The base URL, without a slash at the end. */
  readonly url: string
  /** What came in: path and headers, oldest first, and why it was refused. */
  readonly requests: ReadonlyArray<{
    readonly path: string
    readonly headers: IncomingMessage["headers"]
    readonly refused: string | undefined
  }>
  readonly close: () => Promise<void>
}

type Got = { readonly path: string; readonly headers: IncomingMessage["headers"]; readonly refused: string | undefined }

const bodyOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** What the scripted server answers. */
const asked = (to: string, path: string, body: object): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" }
    const request = send(`${to}${path}`, { method: "POST", headers }, (message) => {
      bodyOf(message).then((text) => resolve({ status: message.statusCode ?? 0, text }), reject)
    })
    request.on("error", reject)
    request.end(JSON.stringify(body))
  })

const listening = async (
  handle: (request: IncomingMessage, body: string, response: ServerResponse) => Promise<string | undefined>
): Promise<Cloud> => {
  const requests: Array<Got> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const refused = await handle(request, body, response)
      requests.push({ path: request.url ?? "", headers: request.headers, refused })
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      return closed.promise
    }
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A segment of a path is encoded once more for the signature, as every service but S3 has it. */
const canonicalPath = (path: string): string =>
  path
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/gu, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    )
    .join("/")

const shape =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/u

/** The keys with which the server checks signatures. */
export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly region: string
}

/** Why a request is not signed with these keys. */
const unsigned = ({ headers, url = "/" }: IncomingMessage, body: string, keys: Keys): string | undefined => {
  const [, id, day = "", region, signed = "", signature] = shape.exec(headers.authorization ?? "") ?? []
  if (id === undefined) return "there is no signature"
  if (id !== keys.accessKeyId || region !== keys.region) return "it is signed for somebody or somewhere else"
  const names = signed.split(";")
  if (!["host", "x-amz-date"].every((name) => names.includes(name))) return "too little is signed"
  if (keys.sessionToken !== undefined && headers["x-amz-security-token"] !== keys.sessionToken) return "no session"
  const lines = names.map(
    (name) =>
      `${name}:${String(headers[name] ?? "")
        .trim()
        .replace(/\s+/gu, " ")}\n`
  )
  const canonical = ["POST", canonicalPath(url), "", lines.join(""), signed, sha256(body)].join("\n")
  const scope = `${day}/${region}/bedrock/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", String(headers["x-amz-date"]), scope, sha256(canonical)].join("\n")
  const key = [region, "bedrock", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${keys.secretAccessKey}`, day))
  return hmac(key, toSign).toString("hex") === signature ? undefined : "the signature is another one"
}

const header = (name: string, value: string): Buffer => {
  const head = Buffer.from([name.length, ...Buffer.from(name), 7, 0, 0])
  head.writeUInt16BE(value.length, head.length - 2)
  return Buffer.concat([head, Buffer.from(value)])
}

/** An event as the clouds of AWS frame it: lengths, their checksum, headers, what it says, and the checksum of all. */
const framed = (headers: Readonly<Record<string, string>>, payload: object): Buffer => {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + head.length + body.length, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const whole = Buffer.concat([prelude, head, body])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(whole))
  return Buffer.concat([whole, checksum])
}

const chunk = (data: string): Buffer =>
  framed(
    { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
    { bytes: Buffer.from(data).toString("base64") }
  )

const eventsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []))

const refuse = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

/** Bedrock in front of a scripted server; a bearer key is taken where one is given, and else a signature. */
export const bedrock = (to: string, keys: Keys | { readonly apiKey: string }): Promise<Cloud> =>
  listening(async (request, body, response) => {
    const path = decodeURIComponent(request.url ?? "")
    const [, model] = /^\/model\/([^/]+)\/invoke-with-response-stream$/u.exec(path) ?? []
    const wrong =
      "apiKey" in keys
        ? request.headers.authorization === `Bearer ${keys.apiKey}`
          ? undefined
          : "there is no such key"
        : unsigned(request, body, keys)
    if (wrong !== undefined) {
      refuse(response, 403, { message: wrong })
      return wrong
    }
    const said = JSON.parse(body)
    if (model === undefined || said.anthropic_version === undefined || said.model !== undefined) {
      refuse(response, 400, { message: "that is not how a model is invoked" })
      return "shape"
    }
    const { status, text } = await asked(to, "/v1/messages", { ...said, model, stream: true })
    if (status !== 200) {
      refuse(response, status, { message: JSON.parse(text).error.message })
      return undefined
    }
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" })
    response.end(Buffer.concat(eventsOf(text).map(chunk)))
    return undefined
  })

const metadata = "/computeMetadata/v1"

/** Vertex in front of a scripted server, and the metadata server of its machine: `GCE_METADATA_HOST` is the host of its URL. */
export const vertex = (to: string, token: string, project: string): Promise<Cloud> =>
  listening(async (request, body, response) => {
    const { headers, url = "/" } = request
    if (url.startsWith(metadata) || url === "/") {
      response.setHeader("metadata-flavor", "Google")
      if (headers["metadata-flavor"] !== "Google") {
        refuse(response, 403, {})
        return "no flavour"
      }
      const isToken = url.includes("/service-accounts/default/token")
      if (isToken) refuse(response, 200, { access_token: token, expires_in: 3600, token_type: "Bearer" })
      else response.end(url.endsWith("/project/project-id") ? project : "ok")
      return undefined
    }
    const path = `/projects/${project}/locations/[^/]+/publishers/anthropic/models/`
    const [, model, verb] = new RegExp(`^/v1${path}([^:]+):(\\w+)$`, "u").exec(decodeURIComponent(url)) ?? []
    if (headers.authorization !== `Bearer ${token}`) {
      refuse(response, 401, [{ error: { code: 401, message: "no such token" } }])
      return "no such token"
    }
    if (model === undefined) {
      refuse(response, 404, { error: { message: "no such path" } })
      return "no such path"
    }
    const isCount = model === "count-tokens"
    const said = JSON.parse(body)
    if (!isCount && (said.anthropic_version === undefined || said.model !== undefined || verb !== "streamRawPredict")) {
      refuse(response, 400, { error: { message: "that is not how a model is asked" } })
      return "shape"
    }
    const answer = isCount
      ? await asked(to, "/v1/messages/count_tokens", said)
      : await asked(to, "/v1/messages", { ...said, model, stream: true })
    response.writeHead(answer.status, {
      "content-type": isCount || answer.status !== 200 ? "application/json" : "text/event-stream"
    })
    response.end(answer.text)
    return undefined
  })
