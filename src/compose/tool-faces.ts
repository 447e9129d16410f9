import { archiveFace } from '../api/archive/routes.ts'
import { artifactsFace } from '../api/artifacts/routes.ts'
import { importFace } from '../api/toolkits/import/routes.ts'
import { uploadFace } from '../api/toolkits/plugin/routes.ts'
import { toolkitsFace } from '../api/toolkits/routes.ts'
import { implementationFace } from '../api/tools/implementation/routes.ts'
import { registryFace } from '../api/tools/routes.ts'
import { plugin } from '../dialects/plugin/definition.ts'
import { base64OfBytes, bytesOfBase64 } from '../outbound/base64.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import type { Deployment } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import { giveWay } from '../http/request/body.ts'
import type { Publishing } from './publishing.ts'

/** Where tools are published and looked after. */
export function toolFaces({ stores, doors, calls, routes, version }: Deployment, publishing: Publishing) {
  const { now } = Date
  const { registry, deploymentKeys, keys, artifacts, uploads } = stores
  const { archive, blobs, catalogue, source, writer, policies, toolkits } = registry
  const { resolver, tellReadiness, toolSecrets } = calls
  const { publish, plugins, importers, secretJudges } = publishing
  const { forTools } = routes
  const findTool = { source, resolver, policies, toolkits }
  const readBlob = blobs.read
  return [
    registryFace({ ...forTools, ...findTool, publish, writer, catalogue, codecs, sha256, tellReadiness, formats }),
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
      now: () => new Date(),
      version,
    }),
    uploadFace({ ...forTools, plugins, codec: plugin, publish, writer }),
    importFace({ ...forTools, importers, publish, toolSecrets, writer, giveWay }),
    toolkitsFace({ ...forTools, toolkits, keys, catalogue }),
    artifactsFace({ ...forTools, artifacts, uploads, shield: doors.shield, now }),
  ]
}
