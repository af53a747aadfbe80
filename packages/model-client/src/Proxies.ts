/**
 * Through which proxy a server is reached, as the usual variables of the environment say: `HTTPS_PROXY`, `HTTP_PROXY`,
 * `ALL_PROXY` and `NO_PROXY`, each also in lower case, which comes first.
 *
 * This machine itself is always reached directly. In `NO_PROXY` a host stands for itself and all below it, with a port for
 * that port alone, and `*` for all.
 */

type Environment = Readonly<Record<string, string | undefined>>

/** The proxy of a URL; nothing where it is reached directly. */
export type Proxies = (url: URL) => URL | undefined

/** Sends every request directly. */
export const none: Proxies = () => undefined

const isSelf = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/u.test(host)

const usualPort = (url: URL): string => url.port || (url.protocol === "https:" ? "443" : "80")

const excepts = (entry: string, url: URL): boolean => {
  if (entry === "*") return true
  const [, name = "", port] = /^\*?\.?(.*?)(?::(\d+))?$/u.exec(entry.toLowerCase()) ?? []
  if (name === "" || (port !== undefined && port !== usualPort(url))) return false
  const host = url.hostname.replaceAll(/^\[|\]$/gu, "")
  return host === name || host.endsWith(`.${name}`)
}

/** Gives what such a variable says, which may leave `http://` out. */
export const urlOf = (text: string): URL | undefined => {
  const said = text.trim()
  const whole = /^[a-z][a-z\d+.-]*:\/\//iu.test(said) ? said : `http://${said}`
  return URL.canParse(whole) ? new URL(whole) : undefined
}

/** What is no URL of a proxy is none. */
const proxyOf = (text: string): URL | undefined => {
  const url = urlOf(text)
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined
}

/**
 * Reads the usual variables (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`, in small letters first). Requests to
 * this machine never go through a proxy.
 */
export const ofEnvironment = (env: Environment): Proxies => {
  const said = (name: string) =>
    [env[name], env[name.toUpperCase()]].find((value) => (value ?? "").trim() !== "")?.trim()
  const all = said("all_proxy")
  const proxies = { "https:": said("https_proxy") ?? all, "http:": said("http_proxy") ?? all }
  const direct = (said("no_proxy") ?? "").split(/[\s,]+/u).filter((entry) => entry !== "")
  return (url) => {
    const proxy = url.protocol === "https:" || url.protocol === "http:" ? proxies[url.protocol] : undefined
    if (proxy === undefined || isSelf(url.hostname) || direct.some((entry) => excepts(entry, url))) return undefined
    return proxyOf(proxy)
  }
}
