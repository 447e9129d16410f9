import { Unreachable } from '../../../core/failure/failure.ts'
import { HEAD_KEY } from '../../keys.ts'
import { CHANGING_TTL_S, parsed } from '../../kv-reader.ts'
import type { KvReads } from '../../kv-reads.ts'
import { type Head, headNow } from './head.ts'
import type { RegistryReach } from './registry-stub.ts'

export interface KvHeadOptions extends RegistryReach {
  readonly reads: KvReads
  /** The head of the tools that the deployment carries, for while nothing else can be read. */
  readonly carried: () => Promise<Head | undefined>
}

/** The head is read again after this long. */
const FRESH_MS = 5_000
/** As long as that may take, until another request looks too. */
const LOOK_MS = 1_000

/** The head of the catalogue as this isolate knows it: read from KV, or from the registry where KV is behind. */
export function createKvHead({ kv, registry, now, reads, carried }: KvHeadOptions) {
  /** `goodFor` is the revision up to which it is as good as can be had. */
  let kept: { readonly head: Head; readonly at: number; readonly goodFor: number } | undefined
  let wanted = 0

  /** The head as the registry has it, of which it gives what changed since one that is known. */
  async function current(known: Head | undefined): Promise<Head> {
    return known ? headNow(known, await registry().head(known.revision)) : registry().head()
  }

  function keep(head: Head): Head {
    kept = { head, at: now(), goodFor: Math.max(head.revision, wanted) }
    return head
  }

  return {
    /** The head as it was a few seconds ago at most, unless nothing newer can be read. */
    async read(): Promise<Head> {
      const before = kept
      if (before && before.goodFor >= wanted) {
        if (now() - before.at < FRESH_MS) return before.head
        // One request looks, and the others go on with what there is
        kept = { ...before, at: now() - FRESH_MS + LOOK_MS }
      }
      // What this isolate has changed KV does not have yet
      const isBehind = before !== undefined && before.goodFor < wanted
      const read = isBehind ? undefined : parsed<Head>(await reads.text(HEAD_KEY, CHANGING_TTL_S))
      if (read && read.revision >= wanted) return keep(read)
      try {
        return keep(await current(later(read, kept?.head)))
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        const older = later(read ?? parsed<Head>(await reads.text(HEAD_KEY, CHANGING_TTL_S)), kept?.head)
        if (older) return keep(older)
        const head = await carried()
        if (!head) throw error
        return keep(head)
      }
    },

    /** The head as the registry has it now. */
    async renew(): Promise<Head> {
      return keep(await current(kept?.head))
    },

    /** The head that has landed in KV: all that it names is there, and stays for a while. */
    async landed(): Promise<Head | undefined> {
      return parsed<Head>(await kv.get(HEAD_KEY, { cacheTtl: CHANGING_TTL_S }))
    },

    /** From now on no head older than this revision is good enough. */
    require(revision: number): void {
      wanted = Math.max(wanted, revision)
    },
  }
}

function later(one: Head | undefined, other: Head | undefined): Head | undefined {
  return one && other ? (one.revision > other.revision ? one : other) : (one ?? other)
}
