import type { Background } from '../../core/tool/platform.ts'

export interface BatchesOptions<Item> {
  readonly windowMs: number
  readonly most: number
  /** Must not throw. */
  readonly flush: (items: Item[]) => void | Promise<void>
}

export function createBatches<Item>(options: BatchesOptions<Item>): (item: Item, background: Background) => void {
  const { windowMs, most, flush } = options
  let waiting: Item[] = []

  function handOn(): void | Promise<void> {
    const items = waiting
    waiting = []
    if (items.length > 0) return flush(items)
  }

  return (item, background) => {
    waiting.push(item)
    if (waiting.length === 1) background(new Promise((done) => setTimeout(() => done(handOn()), windowMs)))
    else if (waiting.length >= most) {
      const flushed = handOn()
      if (flushed) background(flushed)
    }
  }
}
