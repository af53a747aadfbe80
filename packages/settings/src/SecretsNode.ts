/**
 * `Secrets` of a machine: the keychain of the operating system where one can be used, else a file of mode 0600.
 *
 * A key is in one of the two and never in both. The file is `keys.json` in the data folder; Windows has what it protects in
 * `keys.protected.json` there.
 */
import { Secrets } from "@belay/model-client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as path from "node:path"
import * as Keychain from "./internal/keychain.ts"
import * as KeyFile from "./internal/keyFile.ts"

/** Says where keys are kept. */
export interface Options {
  /** The data folder, absolute. */
  readonly directory: string
  /** False keeps everything in the data folder: for one that is not the user's own. */
  readonly keychain: boolean
  /** Another platform and tool than those of this machine. */
  readonly tool?: { readonly platform: NodeJS.Platform; readonly program: string }
}

const trying = <A>(step: () => A): Effect.Effect<A, Secrets.SecretsError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(step())
    } catch (cause) {
      return cause instanceof Secrets.SecretsError ? Effect.fail(cause) : Effect.die(cause)
    }
  })

const own = (keys: KeyFile.Keys, host: string): string | undefined =>
  Object.hasOwn(keys, host) ? keys[host] : undefined

const without = (keys: KeyFile.Keys, host: string): KeyFile.Keys =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => name !== host))

const found = ({ directory, keychain, tool }: Options): Keychain.Keychain | undefined =>
  keychain ? Keychain.find({ platform: process.platform, directory, ...tool }) : undefined

/** Tells where a key would be kept now, in words, and whether the system protects it there. */
export interface Kept {
  readonly place: string
  readonly isProtected: boolean
}

/** Tries the keychain where its being there says nothing. */
export const place = (options: Options): Kept => {
  const keychain = found(options)
  return keychain !== undefined && keychain.works?.() !== false
    ? { place: keychain.name, isProtected: true }
    : { place: path.join(options.directory, "keys.json"), isProtected: false }
}

/** Keeps keys in the keychain of the system, or in a private file of the data folder where there is none. */
export const layerNode = ({ directory, keychain: allowed, tool }: Options): Layer.Layer<Secrets.Secrets> =>
  Layer.sync(Secrets.Secrets, () => {
    const file = path.join(directory, "keys.json")
    const keychain = found({ directory, keychain: allowed, ...(tool === undefined ? {} : { tool }) })
    /** Whether there was one. */
    const forget = (host: string): boolean => {
      const keys = KeyFile.read(file)
      if (own(keys, host) === undefined) return false
      KeyFile.write(file, without(keys, host))
      return true
    }
    return Secrets.Secrets.of({
      get: (host) =>
        trying(() => {
          const key = keychain?.get(host) ?? own(KeyFile.read(file), host)
          return key === undefined ? Option.none() : Option.some(Redacted.make(key))
        }),
      set: (host, key) =>
        trying(() => {
          const value = Redacted.value(key)
          if (keychain?.set(host, value) === true) {
            forget(host)
            return keychain.name
          }
          // What the keychain may still hold comes first, so it must not be an older one.
          keychain?.remove(host)
          KeyFile.write(file, { ...KeyFile.read(file), [host]: value })
          return file
        }),
      remove: (host) =>
        trying(() => [...(keychain?.remove(host) === true ? [keychain.name] : []), ...(forget(host) ? [file] : [])])
    })
  })
