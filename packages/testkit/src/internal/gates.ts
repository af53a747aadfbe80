/** Named gates: whoever waits at one goes on as soon as it is released, also when that happened before. */
export class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  #gate(name: string): PromiseWithResolvers<void> {
    let gate = this.#gates.get(name)
    if (gate === undefined) this.#gates.set(name, (gate = Promise.withResolvers<void>()))
    return gate
  }

  wait(name: string): Promise<void> {
    return this.#gate(name).promise
  }

  release(name: string): void {
    this.#gate(name).resolve()
  }
}
