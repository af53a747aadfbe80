/** How a call of git fails. */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"

/** git could not be started, ended with an error or by a signal. */
export class GitFailed extends Data.TaggedError("GitFailed")<{
  readonly command: string
  readonly code: number | undefined
  /** One byte a character. */
  readonly stderr: string
}> {
  /** What git said last, in one line. */
  get detail(): string {
    const said = Buffer.from(this.stderr, "latin1").toString("utf8").trim().split("\n").at(-1) ?? ""
    return `git ${this.command}: ${said === "" ? `ended with ${this.code ?? "a signal"}` : said}`
  }
}

const most = 3

const shown = (names: ReadonlyArray<string>): string => {
  const rest = names.length - most
  // A name is the repository's own text.
  const some = names.slice(0, most).map((name) =>
    JSON.stringify(name)
      .slice(1, -1)
      .replaceAll(/[^\x20-\x7e]/g, "?")
  )
  return `${some.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}

/** git was not started, or stopped, for the sake of the user. */
export class GitRefused extends Schema.TaggedError<GitRefused>()("GitRefused", {
  /**
   * `noGit`: there is none outside the project; `programs`: settings of the repository name programs or another folder,
   * `subject` has their names; `tooMuch` and `tooSlow`: it went over a limit, `subject` says which.
   */
  reason: Schema.Literals(["noGit", "programs", "tooMuch", "tooSlow"]),
  subject: Schema.Array(Schema.String)
}) {
  override get message() {
    const subject = shown(this.subject)
    switch (this.reason) {
      case "noGit":
        return "No git was found on PATH outside the project. Install git."
      case "programs":
        return `Git was not asked: settings of this repository start programs or lead elsewhere (${subject}). Look at its .git/config.`
      case "tooMuch":
        return `Git was stopped: it had more to say than ${subject}. Ask for less.`
      case "tooSlow":
        return `Git was stopped: it took longer than ${subject}. Try again, or ask for less.`
    }
  }
}
