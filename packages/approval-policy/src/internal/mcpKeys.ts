/**
 * The keys of the `mcp` settings, and what such settings say of a tool and of a resource.
 *
 * Keys of resources begin with `resource:`. No server has a name with a colon or a slash, so that no key is one of a tool
 * and one of a resource, whatever a server calls its tools and whatever the address of a resource is.
 */
import type { Setting } from "../Approvals.ts"
import { strictest } from "../Decision.ts"

type Settings = Readonly<Record<string, Setting>>

const mark = "resource:"

/** What is wrong with a key. */
export const unusable = (key: string): string | undefined =>
  key.startsWith(mark) && !/^[^/:]+\/./s.test(key.slice(mark.length))
    ? "must be resource:SERVER/ADDRESS or resource:SERVER/*"
    : undefined

const isName = (server: string): boolean => !/[/:]/.test(server)

const own = (mcp: Settings, key: string): Setting | undefined => (Object.hasOwn(mcp, key) ? mcp[key] : undefined)

const general = (mcp: Settings): Setting => own(mcp, "*") ?? "ask"

export const ofTool = (mcp: Settings, server: string, tool: string): Setting =>
  (isName(server) ? (own(mcp, `${server}/${tool}`) ?? own(mcp, `${server}/*`)) : undefined) ?? general(mcp)

/** Without a key of its own: as in general, and no wider than all tools of the server. */
export const ofResource = (mcp: Settings, server: string, uri: string): Setting => {
  if (!isName(server)) return general(mcp)
  const found = own(mcp, `${mark}${server}/${uri}`) ?? own(mcp, `${mark}${server}/*`)
  return found ?? strictest(general(mcp), own(mcp, `${server}/*`) ?? "allow")
}

/** What the settings say of all that a key stands for, where they have no key that is more exact. */
export const ofKey = (mcp: Settings, key: string): Setting => {
  const isResource = key.startsWith(mark)
  const name = isResource ? key.slice(mark.length) : key
  const slash = name.indexOf("/")
  if (slash < 0) return own(mcp, key) ?? general(mcp)
  return (isResource ? ofResource : ofTool)(mcp, name.slice(0, slash), name.slice(slash + 1))
}
