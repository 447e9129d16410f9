/** One page of the catalog: of the tools from the key `first` up to the next page's, in a text of this hash. */
export interface PageReference {
  readonly first: string
  readonly count: number
  readonly hash: string
}

export interface Manifest {
  readonly revision: number
  /** The sum of all pages' hashes, so that a change needs no look at the other pages. */
  readonly etag: string
  readonly count: number
  /** In the order of their keys: each tool belongs to one of them. */
  readonly pages: readonly PageReference[]
}

/** With `since`, `pages` are those that changed after that revision. */
export interface ManifestUpdate extends Manifest {
  readonly since?: number
}

const ETAG_BITS = 256

export const EMPTY_MANIFEST: Manifest = { revision: -1, etag: '0'.repeat(ETAG_BITS / 4), count: 0, pages: [] }

export function withPages(manifest: Manifest, changed: readonly PageReference[], revision: number): Manifest {
  const firsts = new Set(changed.map(({ first }) => first))
  const replaced = manifest.pages.filter(({ first }) => firsts.has(first))
  const sum = BigInt(`0x${manifest.etag}`) + sumHashes(changed) - sumHashes(replaced)
  return {
    revision,
    etag: BigInt.asUintN(ETAG_BITS, sum)
      .toString(16)
      .padStart(ETAG_BITS / 4, '0'),
    count: manifest.count + countTools(changed) - countTools(replaced),
    pages: mergePages(manifest.pages, changed),
  }
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

const countTools = (pages: readonly PageReference[]) => pages.reduce((sum, { count }) => sum + count, 0)

const sumHashes = (pages: readonly PageReference[]) => pages.reduce((sum, { hash }) => sum + BigInt(`0x${hash}`), 0n)
