import { archiveFace } from '../api/archive/routes.ts'
import { artifactsFace } from '../api/artifacts/routes.ts'
import { importFace } from '../api/toolkits/import/routes.ts'
import { uploadFace } from '../api/toolkits/plugin/routes.ts'
import { toolkitsFace } from '../api/toolkits/routes.ts'
import { implementationFace } from '../api/tools/implementation/routes.ts'
import { registryFace } from '../api/tools/routes.ts'
import { challenge } from '../connect/metadata.ts'
import { machineContextFace } from '../dialects/machine-context/routes.ts'
import { type Door, mcpFace } from '../dialects/mcp/routes.ts'
import { openToolCallingFace } from '../dialects/open-tool-calling/routes.ts'
import { oxpFace } from '../dialects/oxp/routes.ts'
import { plugin } from '../dialects/plugin/definition.ts'
import { pluginFace } from '../dialects/plugin/routes.ts'
import { createHealth } from '../http/route/health.ts'
import { base64OfBytes, bytesOfBase64 } from '../outbound/base64.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { createStateSeal } from '../storage/sealing/state-seal.ts'
import { type Deployment, newId } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import type { Doors } from './doors.ts'
import { giveWay, sleep } from './platform.ts'

export function toolFaces({ config, stores, doors, calls, publish, ...deployment }: Deployment) {
  const { now } = Date
  const date = () => new Date()
  const { registry, deploymentKeys, keys, artifacts, uploads } = stores
  const { archive, blobs, catalogue, source, writer, policies, toolkits } = registry
  const { callTool, resolver, tellReadiness, toolSecrets } = calls
  const { plugins, importers, secretJudges, version } = deployment
  const { forTools } = deployment.routes
  const { gate, shield } = doors

  const list = { gate, catalogue, sha256 }
  const findTool = { source, resolver, policies, toolkits }
  const readBlob = blobs.read
  return [
    oxpFace({ ...list, callTool, health: createHealth({ version, probe: stores.probe, now, sleep }), formats, codecs }),
    registryFace({ ...forTools, ...findTool, publish, writer, source, codecs, sha256, tellReadiness, formats }),
    implementationFace({ ...forTools, ...findTool, readBlob }),
    archiveFace({
      ...forTools,
      sha256,
      archive,
      signer: deploymentKeys.signer('export'),
      plugins,
      readBlob,
      base64Of: base64OfBytes,
      bytesOf: bytesOfBase64,
      giveWay,
      judgeSecrets: secretJudges.ofTools,
      now: date,
      version,
    }),
    uploadFace({ ...forTools, plugins, codec: plugin, publish, writer }),
    importFace({ ...forTools, importers, publish, toolSecrets, writer, giveWay }),
    toolkitsFace({ ...forTools, toolkits, keys, catalogue }),
    mcpFace({
      callTool,
      catalogue,
      resolver,
      tellReadiness,
      doors: mcpDoors(doors),
      origins: config.allowOrigins,
      seal: createStateSeal({ sealer: deploymentKeys.sealer('state'), now }),
      serverInfo: { name: 'switchboard', title: 'Switchboard', version },
    }),
    machineContextFace({ ...list, callTool, newId, today: date }),
    openToolCallingFace({ ...list, gate: doors.gateForEngines, callTool, now: date }),
    pluginFace({ ...list, callTool, resolver }),
    artifactsFace({ ...forTools, artifacts, uploads, shield, now }),
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
