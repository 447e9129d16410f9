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
  let waiting = begin()

  function handOn(): void | Promise<void> {
    const batch = waiting
    waiting = begin()
    if (batch.size > 0) return flush(batch)
  }

  return (item, background) => {
    waiting.add(item)
    const { size } = waiting
    if (size === 1) background(new Promise((done) => setTimeout(() => done(handOn()), windowMs)))
    else if (size >= most) {
      const flushed = handOn()
      if (flushed) background(flushed)
    }
  }
}
