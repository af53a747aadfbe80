/** Packages that whoever uses them installs beside this one. */

/** A package that is not there, and how it is installed, where that is not the usual way. */
export class NotInstalled extends Error {
  override readonly name = "NotInstalled"
  readonly package: string
  readonly advice: string | undefined
  constructor(name: string, advice?: string) {
    super(`the package ${name} is not installed`)
    this.package = name
    this.advice = advice
  }
}

/** Nothing else is missing than the package itself. */
export const isMissing = (cause: unknown, name: string): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  /^(?:ERR_)?MODULE_NOT_FOUND$/u.test(String(cause.code)) &&
  cause.message.includes(name)
