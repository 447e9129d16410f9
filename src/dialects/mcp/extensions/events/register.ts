import type { Subscriptions } from '../../../../core/event/subscription.ts'
import type { McpExtension, McpMethod } from '../extension.ts'

const METHODS = ['list', 'subscribe', 'unsubscribe', 'poll'] as const

/** Events (SEP-3415). Clients such as ChatGPT and the AI SDK check `capabilities.events` and declare nothing. */
export function registerEvents(extensions: McpExtension[], loadSubscriptions: () => Promise<Subscriptions>): void {
  const methods = METHODS.map((name): [string, McpMethod] => [
    `events/${name}`,
    async (params, exchange) => {
      const [{ EVENT_METHODS }, subscriptions] = await Promise.all([import('./methods.ts'), loadSubscriptions()])
      return EVENT_METHODS[name](params, exchange, subscriptions)
    },
  ])
  const served = { capabilities: { events: {} }, methods: Object.fromEntries(methods) }
  extensions.push({ id: 'io.modelcontextprotocol/events' }, served)
}
