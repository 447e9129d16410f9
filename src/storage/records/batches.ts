import type { Background } from '../../core/tool/platform.ts'

interface Gathered<Item> {
  readonly size: number
  add(item: Item): void
}

export interface BatchesOptions<Item, Batch extends Gathered<Item>> {
  readonly windowMs: number
  readonly most: number
  readonly begin: () => Batch & Gathered<Item>
  /** Must not throw. */
  readonly flush: (batch: Batch) => void | Promise<void>
}

export function createBatches<Item, Batch extends Gathered<Item>>(
  options: BatchesOptions<Item, Batch>,
): (item: Item, background: Background) => void {
  const { windowMs, most, begin, flush } = options
  let waiting: Batch = begin()

  function handOn(batch: Batch): void | Promise<void> {
    // A batch that filled up before its time has gone: the one that waits now has a time of its own
    if (batch !== waiting) return
    waiting = begin()
    return flush(batch)
  }

  return (item, background) => {
    const batch = waiting
    batch.add(item)
    if (batch.size === 1) background(new Promise((done) => setTimeout(() => done(handOn(batch)), windowMs)))
    else if (batch.size >= most) {
      const flushed = handOn(batch)
      if (flushed) background(flushed)
    }
  }
}
