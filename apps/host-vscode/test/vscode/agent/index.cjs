/**
 * Runs what a story sends, inside the extension host, with the whole `vscode` API; one function a line, as text.
 *
 * A second development extension instead of `extensionTestsPath`, because under that setting VS Code refuses to show
 * modal dialogs, which stories are about.
 */
const net = require("node:net")
const { createInterface } = require("node:readline")
const vscode = require("vscode")

const answer = async ({ args, source }) => {
  try {
    // oxlint-disable-next-line no-eval
    return { value: await (0, eval)(`(${source})`)(vscode, ...args) }
  } catch (error) {
    return { error: String(error?.stack ?? error) }
  }
}

exports.activate = ({ subscriptions }) => {
  const socket = net.connect(Number(process.env.BELAY_TEST_PORT), "127.0.0.1")
  createInterface({ input: socket }).on("line", (line) => {
    const call = JSON.parse(line)
    void answer(call).then((result) => socket.write(`${JSON.stringify({ id: call.id, ...result })}\n`))
  })
  socket.on("error", () => {})
  subscriptions.push({ dispose: () => socket.destroy() })
}
