/**
 * Network addresses that a fetch must not reach: private, loopback, link-local, metadata, multicast and reserved ones.
 *
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const blocks: ReadonlyArray<readonly [first: string, bits: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

const numberOf = (text: string): number | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0)
}

const isPrivate4 = (address: number): boolean =>
  blocks.some(
    ([first, bits]) => Math.floor(address / 2 ** (32 - bits)) === Math.floor((numberOf(first) ?? 0) / 2 ** (32 - bits))
  )

/** The eight groups of an IPv6 address; undefined when it is none. */
const groupsOf = (text: string): ReadonlyArray<number> | undefined => {
  const bare = text.replace(/%.*$/, "")
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare)
  const four = tail === null ? undefined : numberOf(tail[2] ?? "")
  if (tail !== null && four === undefined) return undefined
  const whole =
    four === undefined ? bare : `${tail?.[1]}${Math.floor(four / 65_536).toString(16)}:${(four % 65_536).toString(16)}`
  const halves = whole.split("::")
  if (halves.length > 2) return undefined
  const [left = [], right = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...left, ...Array.from({ length: halves.length === 2 ? missing : 0 }, () => "0"), ...right]
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined
}

const isPrivate6 = (groups: ReadonlyArray<number>): boolean => {
  const [first = 0, second = 0] = groups
  const at = (index: number): number => (groups[index] ?? 0) * 65_536 + (groups[index + 1] ?? 0)
  // Addresses that carry an IPv4 one: mapped and 6to4.
  if (groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0))
    return isPrivate4(at(6)) || groups[5] === 0
  if (first === 0x2002) return isPrivate4(at(1))
  // Only 2000::/3 is routed, without 64:ff9b::/96 that is translated to IPv4; of it documentation, Teredo and ORCHID are not.
  if (first >> 13 !== 1) return true
  return first === 0x2001 && (second < 0x200 || second === 0xdb8)
}

/** True also for what is no address at all. */
export const isForbidden = (address: string): boolean => {
  const bare = address.replace(/^\[|\]$/g, "")
  const four = numberOf(bare)
  if (four !== undefined) return isPrivate4(four)
  const groups = groupsOf(bare)
  return groups === undefined || isPrivate6(groups)
}

export const isAddress = (host: string): boolean =>
  numberOf(host) !== undefined || host.includes(":") || host.startsWith("[")

/** Names that lead to this machine, its network or a provider's metadata. */
export const isForbiddenName = (host: string): boolean =>
  /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa|intranet|lan)\.?$/i.test(host) || !host.includes(".")
