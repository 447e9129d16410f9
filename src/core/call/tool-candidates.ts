import { createSwrCache, type CacheEntry } from '../cache/swr-cache.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { ADMIN, maySee, type Principal } from '../access/principal.ts'
import { formatToolId, toDerivedName, toolKey, type ToolName } from '../tool/tool-id.ts'
import { type NameRef, toIdRef, toNameRef, type ToolRef } from '../tool/tool-ref.ts'
import type { WaitUntil } from '../tool/platform.ts'
import { fail, type FailureResult } from '../failure/failure.ts'
import type { Resolver } from './resolve-tool.ts'
import { createLruCache } from '../tool/recently-used.ts'

export interface Candidate extends ToolName {
  readonly id: string
  readonly securityLevel: number
}

/** Finds the same tools for every caller. Returns without I/O or a promise if the name was just looked up. */
export type FindCandidates = (
  name: string,
  background: WaitUntil,
) => readonly Candidate[] | Promise<readonly Candidate[]>

interface CandidatesDeps {
  readonly resolver: Pick<Resolver, 'resolve'>
  readonly findTools: (name: string) => Promise<readonly Candidate[]>
  readonly now: () => number
}

const AGES = { fresh: 5_000, stale: 25_000 }
const MAX_KEPT = 5_000
const MAX_SUGGESTIONS = 3

export function createFindCandidates({ resolver, findTools, now }: CandidatesDeps): FindCandidates {
  const store = createLruCache<CacheEntry<readonly Candidate[]>>(MAX_KEPT)
  const cache = createSwrCache({ store, getAges: () => AGES, now })

  async function find(name: string, background: WaitUntil): Promise<readonly Candidate[]> {
    const exposed = await resolver.resolve(toNameRef(name), undefined, background)
    const record = exposed.ok ? exposed.tool.record : undefined
    const isDerived = record && toDerivedName(record).toLowerCase() === name.toLowerCase()
    const sameNamedTools = isDerived ? [] : await findTools(name)
    const candidates = [...(record ? [record] : []), ...sameNamedTools].map(toCandidate)
    return [...new Map(candidates.map((candidate) => [toolKey(candidate), candidate])).values()]
  }

  return (name, background) => cache.get(name.toLowerCase(), () => find(name, background), background)
}

export function createFindTools(catalog: Pick<Catalog, 'list'>): CandidatesDeps['findTools'] {
  const write = (record: Candidate) => JSON.stringify(toCandidate(record))
  return async (name) => {
    const query = { q: name, versions: 'newest', limit: 50 } as const
    const listing = await catalog.list(query, ADMIN, { name: 'candidate', write })
    const candidates = (listing?.lines ?? []).map((line): Candidate => JSON.parse(line))
    return candidates.filter(({ tool }) => tool.toLowerCase() === name.toLowerCase())
  }
}

function toCandidate({ id, toolkit, tool, securityLevel }: Candidate): Candidate {
  return { id, toolkit, tool, securityLevel }
}

/** Returns undefined if there is no tool. Of several, the caller must choose, since a guess could pick the wrong publisher. */
export function chooseCandidate(
  { name, range }: NameRef,
  principal: Principal,
  candidates: readonly Candidate[],
): ToolRef | FailureResult | undefined {
  const visible = candidates.filter((candidate) => maySee(principal, candidate, 'tools:call'))
  const [only, ...others] = visible
  if (!only) return undefined
  if (others.length === 0) return toIdRef(formatToolId(only, range))
  const suggestions = visible.slice(0, MAX_SUGGESTIONS).map(({ id }) => id)
  return fail({ type: 'tool-unknown', ref: name, suggestions })
}
