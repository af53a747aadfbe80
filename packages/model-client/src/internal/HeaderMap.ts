/**
 * Headers of HTTP without the built-in ones, which load the built-in `fetch` (26 ms of each start): what the SDK and we
 * need of them. Names are looked up whatever their case; values of one name are joined by a comma, as HTTP says.
 *
 * The bundles of the hosts give this class to the SDK as `Headers`.
 */
export class HeaderMap implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>()

  constructor(init: Iterable<readonly [string, string]> | { readonly [name: string]: string } = []) {
    const entries = Symbol.iterator in init ? init : Object.entries(init)
    for (const [name, value] of entries) this.append(name, value)
  }

  append(name: string, value: string): void {
    const before = this.get(name)
    const added = value.trim()
    this.#values.set(name.toLowerCase(), before === null ? added : `${before}, ${added}`)
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value.trim())
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  entries(): MapIterator<[string, string]> {
    return this.#values.entries()
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries()
  }
}
