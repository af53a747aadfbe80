/**
 * The entry where there is no machine (vscode.dev, github.dev): it says why nothing runs, and how to get a machine.
 */
const vscode = require("vscode")

const line =
  "Belay runs programs and needs a machine. Open this repository in a codespace, a tunnel or on your computer."

exports.activate = ({ extension, subscriptions }) => {
  void vscode.commands.executeCommand("setContext", "belay.noMachine", true)
  const empty = { getChildren: () => [], getTreeItem: (element) => element }
  subscriptions.push(vscode.window.registerTreeDataProvider("belay.tasks", empty))
  for (const { command } of extension.packageJSON.contributes.commands) {
    subscriptions.push(vscode.commands.registerCommand(command, () => vscode.window.showInformationMessage(line)))
  }
}
