/**
 * Loaded into VS Code's server: webviews have origins of their own below the window's, as in the desktop editor.
 *
 * The window is one of the same site, so that the service workers of its webviews are not those of a third party; an
 * origin that keeps to itself has a process of its own.
 */
import { ServerResponse } from "node:http"

/** What it has by itself, called below as a method of the same response. */
const [end, writeHead] = ["end", "writeHead"].map((name) => Reflect.get(ServerResponse.prototype, name))
const policy = "Content-Security-Policy"
const endpoint = "webviewEndpoint&quot;:&quot;"

ServerResponse.prototype.writeHead = function (status, headers, ...more) {
  this.setHeader("Origin-Agent-Cluster", "?1")
  const own = headers?.[policy]?.replace("frame-src ", "frame-src http://*.main.localhost:* ")
  return writeHead.call(
    this,
    status,
    own === undefined ? headers : Object.assign({}, headers, { [policy]: own }),
    ...more
  )
}

ServerResponse.prototype.end = function (data, ...more) {
  const own = `${endpoint}http://{{uuid}}.main.localhost:${this.req.socket.localPort}/`
  return end.call(this, typeof data === "string" ? data.replace(endpoint, own) : data, ...more)
}
