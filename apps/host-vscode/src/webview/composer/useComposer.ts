/** What is written to one task, and what its keys do. */
import { type View, Words } from "@belay/interaction"
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState as useLocal } from "react"
import { listen, now, say } from "../state/store.ts"
import * as files from "./files.ts"
import * as pastes from "./pastes.ts"
import * as recall from "./recall.ts"
import { takeLastBack } from "./unqueue.ts"
import { useCompletion } from "./useCompletion.ts"
import { useDraft } from "./useDraft.ts"

type Field = HTMLTextAreaElement

export const useComposer = (task: string | null, isMute: boolean) => {
  const area = useRef<Field>(null)
  const pasted = useRef<ReadonlyArray<pastes.Paste>>([])
  const draft = useDraft(task, (text) => pastes.expanded(text, pasted.current))
  const { put, text } = draft
  const completing = useCompletion(area, put)
  const [told, setTold] = useLocal("")
  const [help, setHelp] = useLocal<ReadonlyArray<View.Completion>>()

  const insert = (what: string): void => {
    const field = area.current
    if (field === null) return
    field.setRangeText(what, field.selectionStart, field.selectionEnd, "end")
    put(field.value)
  }
  useEffect(
    () =>
      listen((message) => {
        if (message.type === "focus" && message.what === "composer") area.current?.focus()
        else if (message.type === "help") setHelp(message.commands)
        else if (message.type === "told") setTold(message.line)
        else if (message.type === "returned") put(Words.appended(area.current?.value ?? "", message.text))
      }),
    []
  )

  const send = (): void => {
    const pictures = files.named()
    const { header } = now()
    // A new task begins with words.
    const suffices = text.trim() !== "" || (pictures.length > 0 && header !== null && !header.done)
    if (!suffices || isMute) return
    say({ type: "send", text: pastes.expanded(text, pasted.current), ...(pictures.length === 0 ? {} : { pictures }) })
    draft.sent()
    pasted.current = []
    setHelp(undefined)
    setTold("")
    completing.close()
  }
  const attach = (found: ReadonlyArray<File>): void =>
    void files.attach(task, found).then((line) => setTold(line ?? ""))
  const goBack = (event: KeyboardEvent): void => {
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return
    const by = event.key === "ArrowUp" ? 1 : -1
    const isTaken = by === 1 && text === "" && takeLastBack()
    const next = isTaken ? undefined : recall.recalled(recall.saidBefore(now().rows), text, by)
    if (next !== undefined) put(next)
    if (next !== undefined || isTaken) event.preventDefault()
  }
  return {
    area,
    completing,
    help,
    pasted: pasted.current,
    send,
    told,
    text,
    put,
    closeHelp: () => setHelp(undefined),
    given: draft.given,
    mention: (): void => {
      const field = area.current
      if (field === null) return
      field.focus()
      insert(/(?:^|[\s([])$/u.test(field.value.slice(0, field.selectionStart)) ? "@" : " @")
      completing.look()
    },
    onChange: ({ target }: { readonly target: Field }): void => {
      put(target.value)
      setTold("")
      completing.look()
    },
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.nativeEvent.isComposing || completing.onKey(event)) return
      if (event.key === "Escape") setHelp(undefined)
      if (event.key === "ArrowUp" || event.key === "ArrowDown") return goBack(event)
      if (event.key !== "Enter" || event.shiftKey) return
      event.preventDefault()
      send()
    },
    onPaste: (event: ClipboardEvent): void => {
      const found = files.only(event.clipboardData)
      const paste = pastes.of(event.clipboardData.getData("text/plain"), pasted.current.length + 1)
      if (found.length === 0 && paste === undefined) return
      event.preventDefault()
      if (paste === undefined) return attach(found)
      pasted.current = [...pasted.current, paste]
      insert(paste.token)
    },
    onDragOver: (event: DragEvent): void => {
      const { dataTransfer } = event
      if (dataTransfer.types.includes("Files") || files.arePointedAt(dataTransfer)) event.preventDefault()
    },
    onDrop: (event: DragEvent): void => {
      const found = files.only(event.dataTransfer)
      const addresses = files.addresses(event.dataTransfer)
      if (addresses.length > 0) {
        event.preventDefault()
        if (!isMute) say({ type: "point", addresses }, task)
        return
      }
      if (found.length === 0) return
      event.preventDefault()
      attach(found)
    }
  }
}
