/**
 * The one door to the SDK's client, which is loaded when a remote MCP server is first called or imported: it is as large
 * as the rest of the Worker. Only what is named here is bundled.
 */
import { STREAM_ENDED } from './errors.ts'
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export { Client } from '@modelcontextprotocol/client'

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

/** The SDK's Streamable HTTP, but for requests whose stream ends without an answer: the SDK would wait for ever. */
export class UpstreamTransport extends StreamableHTTPClientTransport {
  readonly #unfinished = new Set<Promise<void>>()

  /** Answers a request itself when its stream ends without an answer, and remembers notifications on their way. */
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options)
    if (!('id' in message) || !('method' in message)) {
      const sending = super.send(message, options)
      this.#unfinished.add(sending)
      return sending.finally(() => this.#unfinished.delete(sending))
    }
    const { id } = message
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        this.onmessage?.({ jsonrpc: '2.0', id, error: { code: STREAM_ENDED, message: 'The stream ended' } })
      },
    })
  }

  /** Resolves when no notification is on its way; never rejects. */
  async sent(): Promise<void> {
    await Promise.allSettled(this.#unfinished)
  }
}
