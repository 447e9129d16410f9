import { Unreachable } from '../../../core/failure/failure.ts'
import { createKept } from '../../../core/cache/kept.ts'
import { HEAD_KEY } from '../../keys.ts'
import { CHANGING_TTL_S, parsed } from '../../kv-reader.ts'
import type { KvReads } from '../../kv-reads.ts'
import { type Head, headNow } from '../catalogue/head.ts'
import type { RegistryReach } from '../registry-stub.ts'

interface KvHeadOptions extends RegistryReach {
  readonly reads: KvReads
  readonly carried: () => Promise<Head | undefined>
}

/** One request reads it again after this long, while others use the known one. */
const AGES = { fresh: 5_000, stale: Infinity }

export function createKvHead({ kv, registry, now, reads, carried }: KvHeadOptions) {
  const kept = createKept<Head>({ store: new Map(), agesOf: () => AGES, now })
  let wanted = 0
  let lookedFor = 0

  async function current(known: Head | undefined): Promise<Head> {
    return known ? headNow(known, await registry().head(known.revision)) : registry().head()
  }

  async function load(): Promise<Head> {
    const known = kept.peek(HEAD_KEY)
    // KV does not have this isolate's changes yet
    const isBehind = known !== undefined && lookedFor < wanted
    lookedFor = wanted
    const read = isBehind ? undefined : await readKv()
    if (read && read.revision >= wanted) return read
    try {
      return await current(later(read, known))
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      const head = later(read ?? (await readKv()), known) ?? (await carried())
      if (!head) throw error
      return head
    }
  }

  async function readKv(): Promise<Head | undefined> {
    return parsed<Head>(await reads.text(HEAD_KEY, CHANGING_TTL_S))
  }

  return {
    read: async (): Promise<Head> => kept.get(HEAD_KEY, load),

    async renew(): Promise<Head> {
      kept.expire()
      return kept.get(HEAD_KEY, () => current(kept.peek(HEAD_KEY)))
    },

    /** All pages that KV's head names are in KV, and stay for a while. */
    async landed(): Promise<Head | undefined> {
      return parsed<Head>(await kv.get(HEAD_KEY, { cacheTtl: CHANGING_TTL_S }))
    },

    require(revision: number): void {
      wanted = Math.max(wanted, revision)
      if ((kept.peek(HEAD_KEY)?.revision ?? -1) < revision) kept.expire()
    },
  }
}

function later(one: Head | undefined, other: Head | undefined): Head | undefined {
  return one && other ? (one.revision > other.revision ? one : other) : (one ?? other)
}
