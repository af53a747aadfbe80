/** The commands about Belay on this machine. */
import { type Command, color, command, cwd, record, verbose } from "./Command.ts"

export const machineCommands: ReadonlyArray<Command> = [
  command(
    "doctor",
    "",
    "Look at all that a task needs here, and say what to do where something is missing",
    [0, 0],
    [record, cwd, color, verbose],
    ["belay doctor", "belay doctor --output json"]
  ),
  command(
    "update",
    "",
    "How Belay was installed, and the command that makes it newer",
    [0, 0],
    [record, color, verbose],
    ["belay update"]
  ),
  command(
    "debug schema",
    "event|result",
    "The JSON Schema of the lines of stream-json, or of the result object",
    [1, 1],
    [],
    ["belay debug schema event"]
  ),
  command("version", "", "The version, as --version and -v print it", [0, 0], [record, verbose], ["belay version"])
]
