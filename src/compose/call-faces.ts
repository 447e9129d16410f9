import { challenge } from '../connect/metadata.ts'
import { machineContextFace } from '../dialects/machine-context/routes.ts'
import { type Door, mcpFace } from '../dialects/mcp/routes.ts'
import { openToolCallingFace } from '../dialects/open-tool-calling/routes.ts'
import { oxpFace } from '../dialects/oxp/routes.ts'
import { pluginFace } from '../dialects/plugin/routes.ts'
import { createHealth } from '../http/route/health.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { createStateSeal } from '../storage/sealing/state-seal.ts'
import { type Deployment, newId } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import type { Doors } from './doors.ts'
import { sleep } from './platform.ts'

/** Where tools are called and listed. */
export function callFaces({ config, stores, doors, calls, version }: Deployment) {
  const { now } = Date
  const { catalogue } = stores.registry
  const { gate } = doors
  const { callTool, resolver, tellReadiness } = calls
  const list = { gate, catalogue, sha256 }
  return [
    oxpFace({ ...list, callTool, health: createHealth({ version, probe: stores.probe, now, sleep }), formats, codecs }),
    mcpFace({
      callTool,
      catalogue,
      resolver,
      tellReadiness,
      doors: mcpDoors(doors),
      origins: config.allowOrigins,
      seal: createStateSeal({ sealer: stores.deploymentKeys.sealer('state'), now }),
      serverInfo: { name: 'switchboard', title: 'Switchboard', version },
    }),
    machineContextFace({ ...list, callTool, newId, now }),
    openToolCallingFace({ ...list, gate: doors.gateForEngines, callTool, now }),
    pluginFace({ ...list, callTool, resolver }),
  ]
}

/** `/mcp` says nothing of OAuth: clients that find it stop sending the key that they were given. */
function mcpDoors({ gate, gateForAgents }: Pick<Doors, 'gate' | 'gateForAgents'>): readonly Door[] {
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
