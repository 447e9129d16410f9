/** An event of a stream, with its data parsed as JSON. */
export interface ReadEvent {
  readonly event: string
  // Tests check the contents
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** Yields the events of a stream as they arrive (HTML, section 9.2), without its comments. */
export async function* eventsOf(response: Response): AsyncGenerator<ReadEvent, void, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) }
    }
  }
}

/** Collects the remaining events of a stream. */
export async function restOf(events: AsyncIterable<ReadEvent>): Promise<readonly ReadEvent[]> {
  const all: ReadEvent[] = []
  for await (const event of events) all.push(event)
  return all
}
