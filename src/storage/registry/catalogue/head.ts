/** A range of the catalogue, from the key `first` to the next leaf's, whose tools are on a page of this hash. */
export interface Leaf {
  readonly first: string
  readonly count: number
  readonly page: string
}

export interface Head {
  readonly revision: number
  /** The sum of all pages' hashes, so that a change needs no look at the other pages. */
  readonly etag: string
  readonly count: number
  readonly leaves: readonly Leaf[]
}

/** Leaves out the leaves that did not change since the revision `since`. */
export interface HeadSince extends Head {
  readonly since?: number
}

const ETAG_BITS = 256
const NO_HEAD: Head = { revision: 0, etag: '0'.repeat(ETAG_BITS / 4), count: 0, leaves: [] }

export function headOf(leaves: readonly Leaf[], revision: number): Head {
  return withLeaves(NO_HEAD, leaves, revision)
}

export function withLeaves(head: Head, others: readonly Leaf[], revision: number): Head {
  const { leaves, replaced } = put(head.leaves, others)
  const count = head.count + tools(others) - tools(replaced)
  const sum = BigInt(`0x${head.etag}`) + hashes(others) - hashes(replaced)
  return {
    revision,
    etag: BigInt.asUintN(ETAG_BITS, sum)
      .toString(16)
      .padStart(ETAG_BITS / 4, '0'),
    count,
    leaves,
  }
}

export function headNow(known: Head, { since, ...given }: HeadSince): Head {
  return since === undefined ? given : { ...given, leaves: put(known.leaves, given.leaves).leaves }
}

export function leafAt(leaves: readonly Leaf[], key: string): number {
  let from = 0
  let to = leaves.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((leaves[middle]?.first ?? '') <= key) from = middle + 1
    else to = middle
  }
  return from - 1
}

function put(known: readonly Leaf[], others: readonly Leaf[]): { leaves: readonly Leaf[]; replaced: readonly Leaf[] } {
  const leaves = [...known]
  const replaced: Leaf[] = []
  for (const leaf of others) {
    const at = leafAt(leaves, leaf.first)
    if (leaves[at]?.first === leaf.first) replaced.push(...leaves.splice(at, 1, leaf))
    else leaves.splice(at + 1, 0, leaf)
  }
  return { leaves, replaced }
}

const tools = (leaves: readonly Leaf[]) => leaves.reduce((sum, { count }) => sum + count, 0)

const hashes = (leaves: readonly Leaf[]) => leaves.reduce((sum, { page }) => sum + BigInt(`0x${page}`), 0n)
