/** What a view says to its host: decoded before anything is done, and refused where it is anything else. */
import * as Schema from "effect/Schema"
import { largest } from "../text/Picture.ts"

/** A task as a view names it; `null`: none yet. */
const task = Schema.NullOr(Schema.String)
const text = Schema.String.check(Schema.isMaxLength(1_000_000))

/** Describes what a button does; each is a command of the extension for one task. */
export const Deed = Schema.Literals([
  "openTask",
  "pickTask",
  "nextNeedsYou",
  "openParent",
  "stop",
  "takeOver",
  "resume",
  "tryNow",
  "resumeAll",
  "abandonSubtask",
  "restartSubtask",
  "continueTask",
  "openChecklist",
  "openTranscriptAsText",
  "showCommands",
  "showOptions",
  "chooseTaskModel",
  "chooseApprovals",
  "undoRestore",
  "setKey",
  "useNoKey",
  "demo",
  "openFolder",
  "manageTrust",
  "checkHistory"
])
export type Deed = typeof Deed.Type

/**
 * Describes what goes back to a message, or is compared with it. `compareTurn`: the files before and after a turn; `compareSince`:
 * before it and now; `restore`: files and conversation.
 */
export const Moment = Schema.Literals([
  "compareNow",
  "compareTurn",
  "compareSince",
  "restoreFiles",
  "restore",
  "branch"
])
export type Moment = typeof Moment.Type

/** The five places of an answer, and the review of an edit. */
export const Verdict = Schema.Literals(["once", "task", "always", "deny", "review"])
export type Verdict = typeof Verdict.Type

/** Decodes a message of the view to its host. Anything else is refused. */
export const FromView = Schema.Union([
  /** It has begun and shows nothing; also when a number is missing. */
  Schema.Struct({ type: Schema.Literal("ready"), task }),
  Schema.Struct({ type: Schema.Literal("shown"), task, n: Schema.Natural }),
  Schema.Struct({ type: Schema.Literal("pong"), task }),
  Schema.Struct({ type: Schema.Literal("earlier"), task, before: Schema.Natural }),
  Schema.Struct({ type: Schema.Literal("draft"), task, text }),
  /** `pictures`: those of the draft that go with it. */
  Schema.Struct({
    type: Schema.Literal("send"),
    task,
    text,
    pictures: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** An image for the draft; `id` is of the view's choice, `data` base64. */
  Schema.Struct({
    type: Schema.Literal("attach"),
    task,
    id: Schema.String.check(Schema.isMaxLength(64)),
    name: Schema.String.check(Schema.isMaxLength(1000)),
    data: Schema.String.check(Schema.isMaxLength(Math.ceil(largest / 3) * 4))
  }),
  Schema.Struct({ type: Schema.Literal("detach"), task, id: Schema.String }),
  /** Files of the editor that the person dropped, by their addresses. */
  Schema.Struct({
    type: Schema.Literal("point"),
    task,
    addresses: Schema.Array(Schema.String.check(Schema.isMaxLength(4000))).check(Schema.isMaxLength(100))
  }),
  /** The person chooses files. */
  Schema.Struct({ type: Schema.Literal("choose"), task }),
  /** Asks for an image, of the draft or of a row. */
  Schema.Struct({ type: Schema.Literal("picture"), task, of: Schema.String.check(Schema.isMaxLength(64)) }),
  /** What stands in a line before the caret, and where in the text this line begins; `n` names the question. */
  Schema.Struct({
    type: Schema.Literal("complete"),
    task,
    n: Schema.Natural,
    line: Schema.String.check(Schema.isMaxLength(4000)),
    at: Schema.Natural
  }),
  /** Takes a message back that waits to be read; its words come back to be changed, or are gone. */
  Schema.Struct({ type: Schema.Literal("unqueue"), task, id: Schema.String, edit: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("verdict"), task, askId: Schema.String, verdict: Verdict }),
  /** Why not, or the answer to a question. */
  Schema.Struct({
    type: Schema.Literal("answer"),
    task,
    askId: Schema.String,
    decision: Schema.optionalKey(Schema.Literals(["allow", "deny"])),
    text
  }),
  Schema.Struct({ type: Schema.Literal("mode"), task, mode: Schema.Literals(["plan", "act"]) }),
  Schema.Struct({ type: Schema.Literal("deed"), task, deed: Deed, on: Schema.optionalKey(Schema.String) }),
  /** `ts`: when the message was said, as its row says it. */
  Schema.Struct({
    type: Schema.Literal("moment"),
    task,
    what: Moment,
    message: Schema.Natural,
    ts: Schema.Natural
  }),
  /** The whole output of the event of this `seq`. */
  Schema.Struct({ type: Schema.Literal("output"), task, seq: Schema.Natural }),
  /** All that the edit changes which the event of this `seq` asks for. */
  Schema.Struct({ type: Schema.Literal("edit"), task, seq: Schema.Natural }),
  Schema.Struct({ type: Schema.Literal("link"), task, target: Schema.String.check(Schema.isMaxLength(4000)) })
])
export type FromView = typeof FromView.Type
