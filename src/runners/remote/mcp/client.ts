/** Exports the SDK's client. Load this file with the first call only: the SDK is as large as the rest of the Worker. */
import { STREAM_ENDED } from './errors.ts'
import { restoreIntegers } from '../../../core/tool/big-integers.ts'
import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'

export { Client } from '@modelcontextprotocol/client'
export { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
export { normalizeMessages } from './normalize-messages.ts'

type Receive = NonNullable<StreamableHTTPClientTransport['onmessage']>
type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

interface UpstreamTransportOptions extends StreamableHTTPClientTransportOptions {
  /** Prefix of each big integer in received messages (`normalize-messages.ts`). */
  readonly integerTag: string
  /** Whether the last response is a stream, which may answer after `send` has returned. */
  readonly isStreaming: () => boolean
}

/**
 * The SDK's transport, with three differences:
 *
 * 1. A request that the server leaves unanswered fails: its stream ends, or the server answers 202 or under another id. The SDK
 *    would wait forever.
 * 2. Big integers are restored in each message before any handler sees it.
 * 3. `waitForNotifications` waits until notifications are sent, such as the cancellation of a call, and `tasks/cancel`.
 */
export class UpstreamTransport extends StreamableHTTPClientTransport {
  readonly #notifications = new Set<Promise<void>>()
  readonly #isStreaming: () => boolean
  hasSentInitialize = false

  constructor(url: URL, { integerTag, isStreaming, ...options }: UpstreamTransportOptions) {
    super(url, options)
    this.#isStreaming = isStreaming
    let receive: Receive | undefined
    // The SDK sets a handler that calls the one before it. Then both restore, and the second finds nothing to restore
    Object.defineProperty(this, 'onmessage', {
      get: () => receive,
      set(handler?: Receive) {
        receive = handler && ((message) => handler(restoreIntegers(message, integerTag)))
      },
    })
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options)
    if (!('id' in message) || !('method' in message) || message.method === 'tasks/cancel') {
      const sending = super.send(message, options)
      this.#notifications.add(sending)
      return sending.finally(() => this.#notifications.delete(sending))
    }
    const { id, method } = message
    if (method === 'initialize') this.hasSentInitialize = true
    // Once the request has an answer, the SDK ignores this error
    const failIfUnanswered = () =>
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: STREAM_ENDED, message: 'The stream ended' } })
    await super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        failIfUnanswered()
      },
    })
    if (!this.#isStreaming()) failIfUnanswered()
  }

  async waitForNotifications(): Promise<void> {
    await Promise.allSettled(this.#notifications)
  }
}
