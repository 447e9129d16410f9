/** An event of a stream, its data read as JSON. */
export interface ReadEvent {
  readonly event: string
  // What came is what a test is about to look at
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** The events of a stream as they come (HTML, section 9.2), without its comments. */
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

/** What is left of a stream. */
export async function restOf(events: AsyncIterable<ReadEvent>): Promise<readonly ReadEvent[]> {
  const all: ReadEvent[] = []
  for await (const event of events) all.push(event)
  return all
}
