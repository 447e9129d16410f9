import { createArchiveRoutes } from '../api/archive/routes.ts'
import { createArtifactsRoutes } from '../api/artifacts/routes.ts'
import { createFindingsRoutes } from '../api/findings/routes.ts'
import { createImportRoutes } from '../api/toolkits/import/routes.ts'
import { createUploadRoutes } from '../api/toolkits/plugin/routes.ts'
import { createSubscriptionsRoutes } from '../api/subscriptions/routes.ts'
import { createLocksRoutes } from '../api/locks/routes.ts'
import { createSkillsRoutes } from '../api/skills/routes.ts'
import { createToolkitsRoutes } from '../api/toolkits/routes.ts'
import { createToolsetsRoutes } from '../api/toolsets/routes.ts'
import { createAppearanceRoutes } from '../api/tools/appearance/routes.ts'
import { createImplementationRoutes } from '../api/tools/implementation/routes.ts'
import { createFindTool } from '../api/tools/find-tool.ts'
import { createRegistryRoutes } from '../api/tools/routes.ts'
import { plugin } from '../dialects/plugin/definition.ts'
import { createUrlTextCheck, formatAllowHint } from '../outbound/allowed-url.ts'
import { encodeBase64, decodeBase64 } from '../outbound/base64.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'
import { createIcons, MAX_ICON } from '../outbound/icons.ts'
import { createSkillReader } from '../importers/skills/read-skill.ts'
import { sha256, sha256OfBytes } from '../storage/sealing/sha256.ts'
import { outboundOptionsFor } from './bundled.ts'
import type { Deployment } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import { yieldToEventLoop } from '../outbound/event-loop.ts'
import type { Env } from '../env.ts'
import type { Publishing } from './publishing.ts'
import { createDefinitionTokenCounter } from './token-counter.ts'

/** Creates the routes that publish and manage tools. */
export function composeToolRoutes(deployment: Deployment, publishing: Publishing, env: Env) {
  const { now } = Date
  const { config, stores, authentication, calls, routes, version } = deployment
  const { registry, deploymentKeys, keys, artifacts, uploads } = stores
  const { archive, blobs, catalog, source, writer, policies, toolkits, toolsets, locks, listUnmatched } = registry
  const { resolver, checkReadiness, toolSecrets, readPage } = calls
  const { publish, findings, compare, plugins, importers, secretChecks } = publishing
  const { toolRoutes, toolPageRoutes } = routes
  const findTool = { source, resolver, policies, toolkits }
  const readBlob = blobs.read
  const yieldControl = yieldToEventLoop
  const guardedFetch = createGuardedFetch({ ...outboundOptionsFor(config), maxResponseBytes: MAX_ICON })
  const readSkill = createSkillReader(sha256OfBytes, yieldControl)
  const countTokens = createDefinitionTokenCounter(env, catalog)
  return [
    createRegistryRoutes({
      ...toolRoutes,
      ...findTool,
      publish,
      writer,
      catalog,
      codecs,
      sha256,
      checkReadiness,
      views: registry,
      formats,
    }),
    createImplementationRoutes({ ...toolRoutes, ...findTool, readBlob }),
    createAppearanceRoutes({ ...toolPageRoutes, ...findTool, readIcon: createIcons(guardedFetch, now), readPage }),
    createArchiveRoutes({
      ...toolRoutes,
      sha256,
      archive,
      signer: deploymentKeys.signer('export'),
      plugins,
      readSkill,
      readBlob,
      encodeBase64,
      decodeBase64,
      yieldControl,
      loadSecretCheck: secretChecks.loadToolCheck,
      now: () => new Date(),
      version,
    }),
    createUploadRoutes({ ...toolRoutes, plugins, codec: plugin, publish, writer }),
    createImportRoutes({
      ...toolRoutes,
      importers,
      skills: registry.stub,
      readSkill,
      publish,
      catalog,
      toolSecrets,
      writer,
      findings,
      yieldControl,
      providers: stores.providers,
      providerStore: stores.storedProviders,
      checkUrl: createUrlTextCheck(config.allowHttpHosts, formatAllowHint),
    }),
    createFindingsRoutes({ ...toolRoutes, findings, compare, writer }),
    createToolkitsRoutes({
      ...toolRoutes,
      toolkits,
      keys,
      catalog,
      findTool: createFindTool(findTool, 'tools:read'),
      countTokens,
    }),
    createToolsetsRoutes({
      ...toolRoutes,
      toolsets,
      locks,
      catalog,
      countTokens,
      listUnmatched,
      findTool: createFindTool(findTool, 'tools:read'),
      sha256,
      now: () => new Date(),
    }),
    createLocksRoutes({ ...toolRoutes, locks }),
    createSkillsRoutes({ ...toolRoutes, skills: registry.stub, readSkill }),
    createSubscriptionsRoutes({ ...toolRoutes, loadSubscriptions: stores.loadEvents }),
    createArtifactsRoutes({ ...toolRoutes, artifacts, uploads, limitAnonymous: authentication.limitAnonymous, now }),
  ]
}
