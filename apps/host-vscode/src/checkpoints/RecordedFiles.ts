/** Files as checkpoints hold them, as documents that nobody can change: `belay-checkpoint:/src/a.ts?{task, folder, blob}`. */
import { Checkpoints } from "@belay/checkpoints"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { scoped } from "../vscode/Bridge.ts"

const scheme = "belay-checkpoint"

interface Place {
  readonly taskId: TaskId.TaskId
  readonly workspace: string
}

const refuse = (uri: vscode.Uri): never => {
  throw vscode.FileSystemError.NoPermissions(uri)
}

export class RecordedFiles extends Context.Service<
  RecordedFiles,
  {
    /** The document of one side of a change. */
    readonly uri: (place: Place, path: string, blob: string) => vscode.Uri
  }
>()("@belay/host-vscode/RecordedFiles") {
  static readonly layer: Layer.Layer<RecordedFiles, never, Checkpoints> = Layer.effect(
    RecordedFiles,
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints
      const context = yield* Effect.context()
      const read = (uri: vscode.Uri): Promise<Uint8Array> => {
        const { blob, ...place }: Place & { readonly blob: string } = JSON.parse(uri.query)
        return Effect.runPromiseWith(context)(checkpoints.content(place, blob))
      }
      const provider: vscode.FileSystemProvider = {
        onDidChangeFile: () => new vscode.Disposable(() => undefined),
        watch: () => new vscode.Disposable(() => undefined),
        readFile: read,
        stat: async (uri) => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: (await read(uri)).length }),
        readDirectory: () => [],
        createDirectory: refuse,
        writeFile: refuse,
        delete: refuse,
        rename: refuse
      }
      yield* scoped(() => vscode.workspace.registerFileSystemProvider(scheme, provider, { isReadonly: true }))
      return RecordedFiles.of({
        uri: (place, path, blob) =>
          vscode.Uri.from({ scheme, path: `/${path}`, query: JSON.stringify({ ...place, blob }) })
      })
    })
  )
}
