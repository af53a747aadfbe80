/**
 * The tools of other coding agents by the names that models have learned there, and what does the same here.
 *
 * Covered: Claude Code, codex, opencode, Cline, Roo Code, and the editor tools of the Messages API. Names are compared
 * without case, blanks and punctuation.
 */
import { isObject, plainName } from "./argumentNames.ts"

const read = "read_file {path, start_line, end_line}"
const write = "write_to_file {path, content}"
const replace = "replace_in_file {path, diff, replace_all}"

/** What there is here, and the names of the same elsewhere. */
const table: ReadonlyArray<readonly [here: string, elsewhere: string]> = [
  [
    "execute_command {command}",
    "bash shell local_shell shell_command container.exec exec exec_command unified_exec run_command run_commands"
  ],
  [read, "read view view_image read_files notebook_read"],
  [write, "write create_file"],
  [
    replace,
    "edit multi_edit notebook_edit edit_file apply_diff insert_content search_and_replace search_replace editor"
  ],
  ["apply_patch {patch}", "patch"],
  ["list_files {path, pattern}", "ls glob list list_dir list_directory"],
  ["search_files {path, regex, file_pattern}", "grep grep_files search codebase_search search_codebase"],
  ["list_code_definition_names {path}", "lsp"],
  ["read_command_output {id, regex}", "bash_output task_output get_terminal_output"],
  ["stop_command {id}", "kill_shell kill_bash task_stop stop_task kill_terminal"],
  ["new_task {message}", "task agent spawn_agent"],
  ["wait_for_tasks {ids}", "wait wait_agent"],
  ["ask_followup_question {question, options}", "ask_user_question question request_user_input ask_question"],
  ["plan_mode_respond {response}", "exit_plan_mode plan_exit"],
  ["switch_mode {reason}", ""],
  ["fetch_url {url}", "web_fetch fetch_web_content"],
  ["use_mcp_tool {server, tool, arguments}", "call_mcp_tool"],
  ["access_mcp_resource {server, uri}", "read_mcp_resource"],
  ["attempt_completion {result}", "submit_and_exit complete finish"],
  ["load_skill {name}", "skill use_skill skills"]
]

/** The name of the tool in an entry of the table. */
const nameIn = (here: string): string => here.split(" ")[0] ?? here

const byName = new Map(
  table.flatMap(([here, elsewhere]) => [nameIn(here), ...elsewhere.split(" ")].map((name) => [plainName(name), here]))
)

/** The name of what does here what a tool of this name does elsewhere. */
export const here = (name: string): string | undefined => {
  const found = byName.get(plainName(name))
  return found === undefined ? undefined : nameIn(found)
}

/** Tools that are several in one, told apart by `command`. */
const editors = new Set(["str_replace_editor", "str_replace_based_edit_tool", "text_editor"].map(plainName))
const editorCommands = new Map<unknown, string>([
  ["view", read],
  ["create", write]
])

/** What needs no tool. */
const withoutTool = new Map(
  [
    [
      "Give the whole checklist as task_progress with your next call.",
      "todo_write todo_read update_plan update_todo_list focus_chain update_focus_chain"
    ],
    [
      "The conversation is condensed by itself when there is need. Go on with the work.",
      "condense compact summarize_task"
    ]
  ].flatMap(([what = "", names = ""]) => names.split(" ").map((name) => [plainName(name), what] as const))
)

/**
 * What to do instead of a call of a tool that is not there, as a sentence; nothing when there is no such thing, or
 * `isOffered` says no of the name of what there is.
 */
export const instead = (name: string, input: unknown, isOffered: (name: string) => boolean): string | undefined => {
  const plain = plainName(name)
  const what = withoutTool.get(plain)
  if (what !== undefined) return what
  const here = editors.has(plain)
    ? (editorCommands.get(isObject(input) ? input["command"] : undefined) ?? replace)
    : byName.get(plain)
  return here === undefined || !isOffered(nameIn(here)) ? undefined : `Use ${here}.`
}
