/** One page of the catalog: of the tools from the key `first` up to the next page's, in a text of this hash. */
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
  /** In the order of their keys: each tool belongs to one of them. */
  readonly pages: readonly PageReference[]
}

/** With `since`, `pages` are those that changed after that revision. */
export interface ManifestUpdate extends Manifest {
  readonly since?: number
}

/** After the keys of all tools. */
export const LAST_KEY = '\u{10ffff}'

const ETAG_BITS = 256

export const EMPTY_MANIFEST = withPages({ pages: [] }, [], -1)

export function withPages(
  earlier: Pick<Manifest, 'pages'>,
  changed: readonly PageReference[],
  revision: number,
): Manifest {
  const pages = mergePages(earlier.pages, changed)
  const sum = pages.reduce((sum, { hash }) => sum + BigInt(`0x${hash}`), 0n)
  const etag = BigInt.asUintN(ETAG_BITS, sum).toString(16)
  const count = pages.reduce((sum, page) => sum + page.count, 0)
  return { revision, etag: etag.padStart(ETAG_BITS / 4, '0'), count, pages }
}

export function applyUpdate(earlier: Manifest, { since, ...manifest }: ManifestUpdate): Manifest {
  return since === undefined ? manifest : { ...manifest, pages: mergePages(earlier.pages, manifest.pages) }
}

/** The index of the page that a key belongs to. */
export function findPage(pages: readonly PageReference[], key: string): number {
  return pages.findLastIndex(({ first }) => first <= key)
}

function mergePages(pages: readonly PageReference[], changed: readonly PageReference[]): readonly PageReference[] {
  const byFirst = new Map([...pages, ...changed].map((page) => [page.first, page]))
  return [...byFirst.values()].toSorted((one, other) => (one.first < other.first ? -1 : 1))
}
