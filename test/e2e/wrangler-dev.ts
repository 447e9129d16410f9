import { setTimeout as pause } from 'node:timers/promises'
import { type Connected, connectTo, varsOf, type World } from './oauth/switchboard.ts'
import { type ServerProcess, startProcess } from './process.ts'

/** Starts the real command in a world, with Wrangler's proxies, which wrap each Durable Object. */
export function wranglerDev(
  world: World,
  { vars = {}, persistTo }: { readonly vars?: Readonly<Record<string, string>>; readonly persistTo?: string } = {},
): Promise<Connected<ServerProcess>> {
  return connectProcess(world, ['npx', 'wrangler', 'dev'], { vars, ...(persistTo ? { persistTo } : {}) })
}

/** Like `wranglerDev`, with another command that accepts its options. */
export async function connectProcess(
  world: World,
  command: readonly string[],
  { vars, persistTo }: { readonly vars: Readonly<Record<string, string>>; readonly persistTo?: string },
): Promise<Connected<ServerProcess>> {
  const options = Object.entries({ ...varsOf(world), ...vars }).flatMap((pair) => ['--var', pair.join(':')])
  return connectTo(world, await startProcess([...command, ...options], persistTo))
}

/** Returns the tools of the recorded calls, newest first, once there are `count`: records appear a second late. */
export async function recordedTools({ ask }: Connected, count: number, query = ''): Promise<readonly string[]> {
  const end = Date.now() + 20_000
  for (;;) {
    const { status, body } = await ask('GET', `/calls${query}`)
    if (status === 200 && body.items.length >= count) return body.items.map(({ tool }: { tool: string }) => tool)
    if (Date.now() > end) throw new Error(`GET /calls answered ${status}: ${JSON.stringify(body)}`)
    await pause(100)
  }
}
