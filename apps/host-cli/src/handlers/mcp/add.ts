/** `belay mcp add`: a server in the user's file, a program or an address; nothing is started. */
import { ServerFile } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { number, type Parsed, text, texts } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import * as Mcp from "../../settings/Mcp.ts"
import type { Sink } from "../../output/Sink.ts"

/** `NAME=value` or `Name: value`. */
const pairs = (
  parsed: Parsed,
  flag: string,
  mark: string
): Effect.Effect<Record<string, string> | undefined, Failure> =>
  Effect.suspend(() => {
    const found = texts(parsed, flag).map((given) => {
      const at = given.indexOf(mark)
      return [given.slice(0, Math.max(0, at)).trim(), given.slice(at + 1).trim()] as const
    })
    if (found.some(([name]) => name === "")) {
      return Effect.fail(
        usage(`--${flag} has no name`, `Give it as --${flag} ${flag === "env" ? "NAME=VALUE" : "'Name: value'"}.`)
      )
    }
    return Effect.succeed(found.length === 0 ? undefined : Object.fromEntries(found))
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [name = "", word, ...args] = parsed.args
    // An address is no program, with --url before it or without.
    const isAddress = word !== undefined && /^https?:\/\//i.test(word) && text(parsed, "url") === undefined
    const url = isAddress ? word : text(parsed, "url")
    const command = isAddress ? undefined : word
    if (isAddress && args.length > 0)
      return yield* usage("a URL takes no arguments", "Leave them out, or use --header.")
    if ((url === undefined) === (command === undefined)) {
      return yield* usage(
        "a server is a program or a URL",
        `Use: belay mcp add NAME -- COMMAND, or belay mcp add NAME URL.`
      )
    }
    const env = yield* pairs(parsed, "env", "=")
    const headers = yield* pairs(parsed, "header", ":")
    if (env !== undefined && url !== undefined) return yield* usage("--env is for programs", "Use --header.")
    if (headers !== undefined && url === undefined) return yield* usage("--header is for URLs", "Use --env.")
    const timeout = yield* Effect.fromResult(number(parsed, "timeout"))
    const given = {
      ...(url === undefined ? { command, ...(args.length === 0 ? {} : { args }) } : { url }),
      ...(env === undefined ? {} : { env }),
      ...(headers === undefined ? {} : { headers }),
      ...(timeout === undefined ? {} : { timeoutSeconds: timeout })
    }
    const checked = ServerFile.definition(name, given)
    if (Result.isFailure(checked)) return yield* usage(checked.failure.message, 'See "belay mcp add --help".')
    yield* Mcp.change((servers) =>
      Object.hasOwn(servers, name)
        ? Effect.fail(usage(`there is a server "${name}" already`, `Remove it first: belay mcp remove ${name}`))
        : Effect.succeed({ ...servers, [name]: given })
    )
    sink.out(`Added ${name} (${Mcp.file()}). Try it: belay mcp test ${name}\n`)
    return 0 as const
  })
