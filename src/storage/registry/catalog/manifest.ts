/** A page of the catalog: the tools from the key `first` up to the next page's, in a text with this hash. */
export interface PageReference {
  readonly first: string
  readonly count: number
  readonly hash: string
}

export interface Manifest {
  readonly revision: number
  /** The sum of all pages' hashes. */
  readonly etag: string
  readonly count: number
  /** Sorted by key: each tool belongs to one page. */
  readonly pages: readonly PageReference[]
}

/** The pages that changed after the revision `since`; all pages if `since` is -1. */
export interface ManifestUpdate {
  readonly since: number
  readonly revision: number
  readonly pages: readonly PageReference[]
}

/** Greater than the keys of all tools. */
export const LAST_KEY = '\u{10ffff}'

const ETAG_BITS = 256

/** Returns a revision's manifest: these new pages, and the earlier pages that they do not replace. */
export function createManifest(
  revision: number,
  newPages: readonly PageReference[],
  earlierPages: readonly PageReference[] = [],
): Manifest {
  const byFirst = new Map([...earlierPages, ...newPages].map((page) => [page.first, page]))
  const pages = [...byFirst.values()].toSorted((one, other) => (one.first < other.first ? -1 : 1))
  const sum = pages.reduce((sum, { hash }) => sum + BigInt(`0x${hash}`), 0n)
  const etag = BigInt.asUintN(ETAG_BITS, sum).toString(16)
  const count = pages.reduce((sum, page) => sum + page.count, 0)
  return { revision, etag: etag.padStart(ETAG_BITS / 4, '0'), count, pages }
}

export function applyUpdate(earlier: Manifest | undefined, { since, revision, pages }: ManifestUpdate): Manifest {
  return createManifest(revision, pages, since < 0 ? [] : earlier?.pages)
}
