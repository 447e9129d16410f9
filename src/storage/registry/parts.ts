/**
 * Cuts a list into parts of at most so many items, and of at most so much of what `sizeOf` gives; an item that is larger
 * by itself is a part of its own. There is no empty part.
 */
export function* inParts<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  { maxSize, maxItems = Infinity }: { readonly maxSize: number; readonly maxItems?: number },
): Generator<readonly T[]> {
  let part: T[] = []
  let size = 0
  for (const item of items) {
    const itemSize = sizeOf(item)
    if (part.length > 0 && (part.length >= maxItems || size + itemSize > maxSize)) {
      yield part
      part = []
      size = 0
    }
    part.push(item)
    size += itemSize
  }
  if (part.length > 0) yield part
}
