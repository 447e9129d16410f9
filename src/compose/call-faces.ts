import type { Door } from '../dialects/mcp/routes.ts'
import { oxpFace } from '../dialects/oxp/routes.ts'
import { createHealth } from '../http/route/health.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { type Deployment, newId } from './deployment.ts'
import type { Doors } from './doors.ts'
import { FORMAT_NAMES } from './format-names.ts'
import { sleep } from './platform.ts'

export interface LazyFace {
  readonly paths: RegExp
  load(): Promise<ReturnType<typeof oxpFace>>
}

export type CallFaces = ReturnType<typeof callFaces>

/** Where tools are called and listed. OXP's words are everybody's; other dialects are loaded with the first request for them. */
export function callFaces({ config, stores, doors, calls, version }: Deployment) {
  const { now } = Date
  const { catalogue } = stores.registry
  const { gate } = doors
  const { callTool, resolver, tellReadiness } = calls
  const list = { gate, catalogue, sha256 }
  const health = createHealth({ version, probe: stores.probe, now, sleep })
  const loadFormats = () => import('./dialects.ts')
  const oxp = oxpFace({ ...list, callTool, health, formatNames: FORMAT_NAMES, loadFormats })
  const others: readonly LazyFace[] = [
    {
      paths: /^\/(?:connect\/)?mcp$/,
      async load() {
        const [{ mcpFace }, { createStateSeal }, { challenge }] = await Promise.all([
          import('../dialects/mcp/routes.ts'),
          import('../storage/sealing/state-seal.ts'),
          import('../connect/metadata.ts'),
        ])
        return mcpFace({
          callTool,
          catalogue,
          resolver,
          tellReadiness,
          doors: mcpDoors(doors, challenge),
          origins: config.allowOrigins,
          seal: createStateSeal({ sealer: stores.deploymentKeys.sealer('state'), now }),
          serverInfo: { name: 'switchboard', title: 'Switchboard', version },
        })
      },
    },
    {
      paths: /^\/machine-context\//,
      async load() {
        const { machineContextFace } = await import('../dialects/machine-context/routes.ts')
        return machineContextFace({ ...list, callTool, newId, now })
      },
    },
    {
      paths: /^\/worker\//,
      async load() {
        const { openToolCallingFace } = await import('../dialects/open-tool-calling/routes.ts')
        return openToolCallingFace({ ...list, gate: doors.gateForEngines, callTool, now })
      },
    },
    {
      paths: /^\/plugin\//,
      load: async () => (await import('../dialects/plugin/routes.ts')).pluginFace({ ...list, callTool, resolver }),
    },
  ]
  return { oxp, others }
}

/** `/mcp` says nothing of OAuth: clients that find it stop sending the key that they were given. */
function mcpDoors(
  { gate, gateForAgents }: Pick<Doors, 'gate' | 'gateForAgents'>,
  challenge: (request: Request) => string,
): readonly Door[] {
  return [
    {
      path: '/mcp',
      gate,
      challenge: (request) => ({
        hint: `. Agents that sign people in, and have no key, connect to '${new URL(request.url).origin}/connect/mcp'`,
      }),
    },
    { path: '/connect/mcp', gate: gateForAgents, challenge: (request) => ({ header: challenge(request) }) },
  ]
}
