import type { PluginReader } from '../plugin.ts'
import type { LineOf } from './line.ts'

export interface PluginBeforeDeps {
  readonly plugins: Pick<PluginReader, 'keep'>
  /** The bytes of a text in Base64; undefined for any other. */
  readonly bytesOf: (base64: string) => Uint8Array | undefined
}

/** The largest plugin as it is kept, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

interface Coming {
  readonly hash: string
  readonly parts: number
  readonly pieces: Uint8Array[]
  size: number
}

/**
 * The bytes of the plugin that stand before the versions that name them, in parts; the next ones take their place. They are
 * kept once a version names them, and only if they stop by themselves.
 */
export function createPluginBefore({ plugins, bytesOf }: PluginBeforeDeps) {
  let coming: Coming | undefined

  return {
    /** Gives why a part cannot be taken. */
    take({ sha256, part, parts, base64 }: LineOf<'blob'>): string | undefined {
      if (part === 0) coming = { hash: sha256, parts, pieces: [], size: 0 }
      if (coming?.hash !== sha256 || coming.parts !== parts || coming.pieces.length !== part || part >= parts) {
        coming = undefined
        return `Is not the part of a plugin that comes next: part ${part} of ${parts}`
      }
      const bytes = bytesOf(base64)
      coming.size += bytes?.byteLength ?? 0
      if (!bytes || coming.size > MAX_BYTES) {
        coming = undefined
        return bytes ? `The plugin is larger than ${MAX_BYTES} bytes` : 'Must be Base64'
      }
      coming.pieces.push(bytes)
      return undefined
    },

    /** Keeps the bytes of this hash, where they are the last: undefined where they are not, else what came of it. */
    async keep(hash: string): Promise<{ readonly refused?: string } | undefined> {
      if (coming?.hash !== hash || coming.pieces.length !== coming.parts) return undefined
      const whole = new Uint8Array(coming.size)
      let at = 0
      for (const piece of coming.pieces) {
        whole.set(piece, at)
        at += piece.byteLength
      }
      const refused = await plugins.keep(whole, hash)
      return refused === undefined ? {} : { refused }
    },
  }
}

export type PluginBefore = ReturnType<typeof createPluginBefore>
