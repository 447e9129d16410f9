import type { WaitUntil } from '../../core/tool/platform.ts'

interface BatchesOptions<Item> {
  readonly windowMs: number
  readonly most: number
  /** Must not throw. */
  readonly flush: (batch: readonly Item[]) => void | Promise<void>
}

export function createBatches<Item>({ windowMs, most, flush }: BatchesOptions<Item>) {
  let waiting: Item[] = []

  function handOn(batch: readonly Item[]): void | Promise<void> {
    // A full batch was flushed before its time, and the waiting one has its own timer
    if (batch !== waiting) return
    waiting = []
    return flush(batch)
  }

  return (item: Item, background: WaitUntil): void => {
    const batch = waiting
    batch.push(item)
    if (batch.length === 1) background(new Promise((done) => setTimeout(() => done(handOn(batch)), windowMs)))
    else if (batch.length >= most) {
      const flushed = handOn(batch)
      if (flushed) background(flushed)
    }
  }
}
