import { sha256 } from '../../src/storage/sealing/sha256.ts'
import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** More than fits in one row. */
const LARGE = 1_100_000

/** Simulates plugin publishers who store bytes, and checks that the same bytes are read everywhere. */
export function createBlobClients({ chance }: World) {
  const texts = ['one', 'two', 'x'.repeat(LARGE)] as const
  const stored = new Map<string, string>()

  async function store({ blobs }: Place, text: string): Promise<void> {
    const hash = await sha256(text)
    await blobs.store(hash, new TextEncoder().encode(text).buffer)
    stored.set(hash, text)
  }

  async function read({ blobs }: Place, hash: string): Promise<void> {
    const text = stored.get(hash)
    const bytes = await blobs.read(hash)
    holds(bytes !== undefined, `The bytes of '${hash}' were stored, and are not found`)
    holds(new TextDecoder().decode(bytes) === text, `The bytes of '${hash}' are others`)
  }

  return {
    store() {
      const text = chance.oneOf(texts)
      return (place: Place) => store(place, text)
    },
    read() {
      const hash = [...stored.keys()][chance.below(texts.length)]
      return async (place: Place) => {
        if (hash !== undefined) await read(place, hash)
      }
    },
    async settled(places: readonly Place[]): Promise<void> {
      for (const hash of stored.keys()) for (const place of places) await read(place, hash)
    },
  }
}
