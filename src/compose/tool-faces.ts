import { archiveFace } from '../api/archive/routes.ts'
import { artifactsFace } from '../api/artifacts/routes.ts'
import { importFace } from '../api/toolkits/import/routes.ts'
import { uploadFace } from '../api/toolkits/plugin/routes.ts'
import { toolkitsFace } from '../api/toolkits/routes.ts'
import { iconFace } from '../api/tools/icon/routes.ts'
import { implementationFace } from '../api/tools/implementation/routes.ts'
import { registryFace } from '../api/tools/routes.ts'
import { plugin } from '../dialects/plugin/definition.ts'
import { base64OfBytes, bytesOfBase64 } from '../outbound/base64.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'
import { createIcons, MAX_ICON } from '../outbound/icons.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { reachOf } from './bundled.ts'
import type { Deployment } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import { giveWay } from '../http/request/body.ts'
import type { Publishing } from './publishing.ts'

/** Where tools are published and looked after. */
export function toolFaces({ config, stores, doors, calls, routes, version }: Deployment, publishing: Publishing) {
  const { now } = Date
  const { registry, deploymentKeys, keys, artifacts, uploads } = stores
  const { archive, blobs, catalogue, source, writer, policies, toolkits } = registry
  const { resolver, tellReadiness, toolSecrets } = calls
  const { publish, plugins, importers, secretJudges } = publishing
  const { forTools, forToolPages } = routes
  const findTool = { source, resolver, policies, toolkits }
  const readBlob = blobs.read
  const guardedFetch = createGuardedFetch({ ...reachOf(config), maxResponseBytes: MAX_ICON })
  return [
    registryFace({ ...forTools, ...findTool, publish, writer, catalogue, codecs, sha256, tellReadiness, formats }),
    implementationFace({ ...forTools, ...findTool, readBlob }),
    iconFace({ ...forToolPages, ...findTool, readIcon: createIcons(guardedFetch, now) }),
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
      now: () => new Date(),
      version,
    }),
    uploadFace({ ...forTools, plugins, codec: plugin, publish, writer }),
    importFace({ ...forTools, importers, publish, toolSecrets, writer, giveWay }),
    toolkitsFace({ ...forTools, toolkits, keys, catalogue }),
    artifactsFace({ ...forTools, artifacts, uploads, shield: doors.shield, now }),
  ]
}
