/** Exports the SDK's client. Load this file with the first call only: the SDK is as large as the rest of the Worker. */
import { STREAM_ENDED } from './errors.ts'
import { restoreIntegers } from '../../../core/tool/big-integers.ts'
import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'

export { Client } from '@modelcontextprotocol/client'
export { normalizeMessages } from './normalize-messages.ts'

type Receive = NonNullable<StreamableHTTPClientTransport['onmessage']>
type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

/** Ends a request that the server leaves without an answer (its stream ends, or it answers 202 or another id): the SDK would wait for ever. */
export class UpstreamTransport extends StreamableHTTPClientTransport {
  readonly #unfinished = new Set<Promise<void>>()
  isStreaming = () => false
  hasInitialized = false

  /** `tag` stands before each big integer of what is received. */
  constructor(url: URL, options: StreamableHTTPClientTransportOptions, tag: string) {
    super(url, options)
    let receive: Receive | undefined
    Object.defineProperty(this, 'onmessage', {
      get: () => receive,
      set(next?: Receive) {
        receive = next && ((message) => next(restoreIntegers(message, tag)))
      },
    })
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options)
    if (!('id' in message) || !('method' in message)) {
      const sending = super.send(message, options)
      this.#unfinished.add(sending)
      return sending.finally(() => this.#unfinished.delete(sending))
    }
    const { id, method } = message
    if (method === 'initialize') this.hasInitialized = true
    // Where the request has an answer already, the SDK ignores this one
    const end = () =>
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: STREAM_ENDED, message: 'The stream ended' } })
    await super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        end()
      },
    })
    if (!this.isStreaming()) end()
  }

  async sent(): Promise<void> {
    await Promise.allSettled(this.#unfinished)
  }
}
