/** Streams the generator's texts as UTF-8. Each is generated when the reader asks for it, and none after it cancels. */
export function toStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    async cancel() {
      await texts.return(undefined)
    },
  })
}
