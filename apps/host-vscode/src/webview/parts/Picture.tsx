/** An image of the conversation, asked of the host when it is shown and forgotten when it is not. */
import { useEffect, useState as useLocal } from "react"
import { listen, say } from "../state/store.ts"

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

const useAddress = (of: string): string | undefined => {
  const [address, setAddress] = useLocal<string>()
  useEffect(() => {
    let made: string | undefined
    const unlisten = listen((message) => {
      if (message.type !== "picture" || message.of !== of || made !== undefined) return
      made = URL.createObjectURL(new Blob([bytesOf(message.data)], { type: message.mediaType }))
      setAddress(made)
    })
    say({ type: "picture", of })
    return () => {
      unlisten()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [of])
  return address
}

/** `name`: what a screen reader says. */
export const Picture = ({ name, of }: { readonly of: string; readonly name: string }) => {
  const address = useAddress(of)
  return address === undefined ? (
    <span className="picture muted">{name}</span>
  ) : (
    <img className="picture" src={address} alt={name} title={name} />
  )
}
