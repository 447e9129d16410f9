import type { UpstreamTool } from './mcp-server.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** What a test looks at of a tool that waits. */
export interface Waiter {
  /** Resolves when the tool runs. */
  readonly begun: Promise<void>
  /** Resolves when the tool learns that its caller no longer waits. */
  readonly cancelled: Promise<void>
}

/** Tools that show everything that can pass between two servers. */
export function upstreamTools(): { readonly tools: readonly UpstreamTool[]; readonly waiter: Waiter } {
  const begun = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<void>()
  const object = (properties: object = {}, required: readonly string[] = []) => ({
    type: 'object',
    properties,
    required,
  })
  const tools: UpstreamTool[] = [
    {
      definition: {
        name: 'add',
        title: 'Addition',
        description: 'Adds two numbers',
        inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
        outputSchema: object({ sum: { type: 'number' } }, ['sum']),
        annotations: { readOnlyHint: true },
      },
      call: ({ a, b }) => {
        const sum = Number(a) + Number(b)
        return { content: [{ type: 'text', text: JSON.stringify({ sum }) }], structuredContent: { sum } }
      },
    },
    {
      definition: { name: 'text.greet', description: 'Greets', inputSchema: object({ name: { type: 'string' } }) },
      call: ({ name }) => ({ content: [{ type: 'text', text: `Grüß Gott, ${String(name)}` }] }),
    },
    {
      definition: { name: 'picture', description: 'A picture', inputSchema: object() },
      call: () => ({
        content: [
          { type: 'text', text: 'A dot' },
          { type: 'image', data: PNG, mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'test://note', mimeType: 'text/plain', text: 'A note' } },
        ],
      }),
    },
    {
      definition: { name: 'fail', description: 'Fails', inputSchema: object() },
      call: () => ({
        isError: true,
        content: [{ type: 'text', text: 'The printer is out of paper' }],
        _meta: { 'dev.switchboard/error': { developer_message: 'D', can_retry: true, retry_after_ms: 500 } },
      }),
    },
    {
      definition: { name: 'steps', description: 'Reports its steps', inputSchema: object() },
      async call(_, { progress }) {
        for (const step of [1, 2, 3]) await progress(step, 3, `Step ${step}`)
        return { content: [{ type: 'text', text: 'Done' }] }
      },
    },
    {
      definition: { name: 'wait', description: 'Waits until it is cancelled', inputSchema: object() },
      async call(_, { signal, progress }) {
        begun.resolve()
        await progress(1, 2, 'Waiting')
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve()
          else signal.addEventListener('abort', () => resolve(), { once: true })
        })
        cancelled.resolve()
        return { content: [] }
      },
    },
    {
      definition: { name: 'headers', description: 'Says what it was sent', inputSchema: object() },
      call: (_, { headers, meta }) => ({
        content: [],
        structuredContent: {
          authorization: headers['authorization'] ?? null,
          traceparent: headers['traceparent'] ?? null,
          meta: meta['traceparent'] ?? null,
        },
      }),
    },
  ]
  return { tools, waiter: { begun: begun.promise, cancelled: cancelled.promise } }
}
