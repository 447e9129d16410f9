import { waitUntil } from 'cloudflare:workers'
import { version } from '../../package.json'
import { respondOxpFailure } from '../dialects/oxp/routes.ts'
import type { AuditEvent } from '../core/access/audit-entry.ts'
import type { Failure } from '../core/failure/failure.ts'
import type { Config, Env } from '../env.ts'
import type { PublicCaching } from '../http/route/public-router.ts'
import type { Build } from '../node/build.ts'
import { composeCalls, composeCatalog } from './calls.ts'
import { composeAuthentication } from './authentication.ts'
import { createRecording } from './recording.ts'
import { createBundled, selectServedTools } from './bundled.ts'
import type { Runners } from './runners.ts'
import { openStores } from './stores.ts'

export type Deployment = ReturnType<typeof composeDeployment>

export function composeDeployment(env: Env, config: Config, fullBuild: Build) {
  const build = selectServedTools(config, fullBuild)
  const deployedAt = Date.parse(env.VERSION?.timestamp ?? '') || undefined
  const writeAuditEvent = (event: AuditEvent) => recording.writeAuditEntry(event, waitUntil)
  const stores = openStores(env, config, build, deployedAt, () => calls.resolver.invalidate(), writeAuditEvent)
  const recording = createRecording(env, config, stores.contentKeyring)
  const authentication = composeAuthentication(env, config, stores, recording)
  const bundled = createBundled(config, build)
  let runners: Runners | undefined
  const loadRunners = async () => {
    const { createRunners } = await import('./runners.ts')
    return (runners ??= createRunners(env, config, bundled, stores.registry, recording.writeAuditEntry))
  }
  const calls = composeCalls({ config, build, stores, recording, bundled, loadRunners })

  const { writeAuditEntry } = recording
  const { authorize, authorizeWithoutTools, authorizePage, authorizeToolPage, limitAnonymous } = authentication
  const caching: PublicCaching = config.publicUrl === undefined ? 'private, max-age=300' : 'public, max-age=300'
  const respondDeps = { respond: (failure: Failure) => respondOxpFailure(failure) }
  return {
    config,
    stores: { ...stores, registry: { ...stores.registry, catalog: composeCatalog(stores, calls.resolver) } },
    authentication,
    calls,
    loadRunners,
    writeAuditEntry,
    routes: {
      toolRoutes: { ...respondDeps, writeAuditEntry, authorize },
      otherRoutes: { ...respondDeps, writeAuditEntry, authorize: authorizeWithoutTools },
      pageRoutes: { ...respondDeps, writeAuditEntry, authorize: authorizePage },
      toolPageRoutes: { ...respondDeps, authorize: authorizeToolPage },
      publicRoutes: { ...respondDeps, limitAnonymous, caching },
    },
    version,
    deployedAt,
  }
}

export const newId: () => string = crypto.randomUUID.bind(crypto)
