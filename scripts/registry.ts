// A registry of packed tarballs, for as long as a process wants it: npm and pnpm install from it as from any other.
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { gunzipSync } from "node:zlib"
import type { AddressInfo } from "node:net"

interface Manifest {
  readonly name: string
  readonly version: string
}

/** The manifest in a tarball, as it would be published. Source of the format: POSIX pax, of which names are short here. */
export const manifestOf = (tarball: Uint8Array): Manifest => {
  const archive = gunzipSync(tarball)
  for (let at = 0; at + 512 <= archive.length;) {
    const field = (from: number, length: number): string =>
      archive.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "")
    const size = Number.parseInt(field(124, 12).trim() || "0", 8)
    if (field(0, 100) === "package/package.json") return JSON.parse(archive.toString("utf8", at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  throw new Error("a tarball without package.json")
}

/** Serves tarballs by their names on loopback; `close` ends it. */
export const serve = async (tarballs: ReadonlyArray<Uint8Array>) => {
  const byName = new Map(tarballs.map((tarball) => [manifestOf(tarball).name, tarball] as const))
  const server = createServer((request, response) => {
    const [, name = "", file] = /^\/(@[^/]+(?:\/|%2f)[^/]+)(\/-\/.*)?$/i.exec(request.url ?? "") ?? []
    const tarball = byName.get(decodeURIComponent(name))
    if (tarball === undefined) return void response.writeHead(404).end()
    if (file !== undefined) return void response.end(tarball)
    const manifest = manifestOf(tarball)
    const { port } = server.address() as AddressInfo
    const dist = {
      tarball: `http://127.0.0.1:${port}/${manifest.name}/-/package.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`
    }
    const versions = { [manifest.version]: { ...manifest, dist } }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ name: manifest.name, "dist-tags": { latest: manifest.version }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}
