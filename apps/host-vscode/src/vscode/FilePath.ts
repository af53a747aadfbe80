/** Files of the editor as the engine spells them: the editor gives a link, a small drive letter or a short name as it is. */
import { Folder } from "@belay/machine"
import type * as vscode from "vscode"

/** The one spelling that the operating system has; as the editor has it when nothing is there. */
export const of = ({ fsPath }: vscode.Uri): string => Folder.canonicalOr(fsPath)

/** Whether the editor means this file or folder, given in the operating system's own spelling. */
export const is = (uri: vscode.Uri, canonical: string): boolean => uri.fsPath === canonical || of(uri) === canonical
