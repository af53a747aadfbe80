/** `belay completions`: a script that makes a shell complete `belay`; what fits is asked of `belay __complete`. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"

/** Titles are never part of what is inserted, so nothing of them is evaluated. */
const scripts: Readonly<Record<string, string>> = {
  bash: `# In ~/.bashrc: eval "$(belay completions bash)"
_belay() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(belay __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "\${COMPREPLY[0]}" in
    */) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -o default -F _belay belay
`,
  zsh: `#compdef belay
# In ~/.zshrc, after compinit: eval "$(belay completions zsh)"
_belay() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(belay __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe belay found; else _files; fi
}
compdef _belay belay
`,
  fish: `# In ~/.config/fish/config.fish: belay completions fish | source
function __belay_complete
  set -l words (commandline -opc)
  set -a words (commandline -ct | string collect --allow-empty)
  belay __complete -- $words[2..-1] 2>/dev/null
end
complete -c belay -a '(__belay_complete)'
`,
  powershell: `# In $PROFILE: belay completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName belay -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($word -eq '') { $words += '' }
  & belay __complete -- @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.suspend(() => {
    const [shell = ""] = parsed.args
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (script === undefined) {
      return Effect.fail(usage(`there are no completions for "${shell}"`, `Use ${Object.keys(scripts).join(", ")}.`))
    }
    sink.out(script)
    return Effect.succeed(0 as const)
  })
