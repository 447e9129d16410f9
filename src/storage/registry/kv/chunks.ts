/** Splits a list into non-empty parts of bounded length and size. An item that is too large is a part by itself. */
export function* splitChunks<T>(
  items: readonly T[],
  measureSize: (item: T) => number,
  { maxSize, maxItems = Infinity }: { readonly maxSize: number; readonly maxItems?: number },
): Generator<readonly T[]> {
  let part: T[] = []
  let size = 0
  for (const item of items) {
    const itemSize = measureSize(item)
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
