/** Runs one command line and returns the exit code. */
export function main(args: ReadonlyArray<string>): number {
  if (args[0] === "demo") {
    process.stdout.write("belay demo: nothing to show yet.\n")
    return 0
  }
  process.stderr.write(`belay: unknown command ${args[0] ?? "(none)"}. Try \`belay --version\`.\n`)
  return 2
}
