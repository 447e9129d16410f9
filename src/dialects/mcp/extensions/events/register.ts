import type { McpExtension, McpMethod } from '../extension.ts'
import type { EventMethodDeps } from './methods.ts'

const METHODS = ['list', 'subscribe', 'unsubscribe', 'poll'] as const

/** Events (SEP-3415). Clients such as ChatGPT and the AI SDK check `capabilities.events` and declare nothing. */
export function registerEvents(extensions: McpExtension[], loadDeps: () => Promise<EventMethodDeps>): void {
  const methods = METHODS.map((name): [string, McpMethod] => [
    `events/${name}`,
    async (params, exchange) => {
      const [{ EVENT_METHODS }, deps] = await Promise.all([import('./methods.ts'), loadDeps()])
      return EVENT_METHODS[name](params, exchange, deps)
    },
  ])
  const served = { capabilities: { events: {} }, methods: Object.fromEntries(methods) }
  extensions.push({ id: 'io.modelcontextprotocol/events' }, served)
}
