import type { Failure } from '../core/failure/failure.ts'
import { createOxpRoutes, respondOxpFailure } from '../dialects/oxp/routes.ts'
import { createHealth } from '../http/route/health.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { type Deployment, newId } from './deployment.ts'
import { loadOnce } from './load-once.ts'
import { FORMAT_NAMES } from '../core/tool/format-names.ts'
import { sleep } from './platform.ts'

export interface CallRoutes {
  readonly routes: ReturnType<typeof createOxpRoutes>
  readonly respond: (failure: Failure) => Response
}

export interface LazyRoutes {
  /** Each a path, or what ends in a wildcard: `/worker/*`. */
  readonly paths: readonly string[]
  readonly load: () => Promise<CallRoutes>
}

/** Routes that call and list tools. OXP's exist from the start, those of other dialects from the first request for them. */
export function composeCallRoutes(deployment: Deployment) {
  const { config, stores, authentication, calls, version } = deployment
  const { now } = Date
  const { catalog } = stores.registry
  const { authorize } = authentication
  const { callTool, resolver, checkReadiness } = calls
  const listDeps = { authorize, catalog, sha256 }
  const health = createHealth({ probe: stores.probe, now, sleep })
  const formats = { formatNames: [...FORMAT_NAMES.keys()], loadFormats: () => import('./dialects.ts') }
  const loadTasks = loadOnce(async () => (await import('./tasks.ts')).openTasks(deployment))
  const oxp: CallRoutes = {
    routes: createOxpRoutes({ ...listDeps, ...formats, callTool, loadTasks, health }),
    respond: (failure) => respondOxpFailure(failure),
  }
  const lazyRoutes: readonly LazyRoutes[] = [
    {
      paths: ['/console/mcp', '/mcp', '/mcp/t/*', '/connect/mcp', '/connect/mcp/t/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const [
          { createMcpRoutes, respondWithFailure },
          { createStateSeal },
          { createMcpEndpoints },
          { composeMcpExtensions },
        ] = await Promise.all([
          import('../dialects/mcp/routes.ts'),
          import('../storage/sealing/state-seal.ts'),
          import('./mcp-endpoints.ts'),
          import('./mcp-extensions.ts'),
        ])
        const routes = createMcpRoutes({
          callTool,
          catalog,
          resolver,
          checkReadiness,
          endpoints: createMcpEndpoints(authentication, stores.registry.toolsets),
          origins: config.allowOrigins,
          seal: createStateSeal({ sealer: stores.deploymentKeys.sealer('state'), now }),
          serverInfo: { name: 'switchboard', title: 'Switchboard', version },
          extensions: composeMcpExtensions(deployment),
        })
        return { routes, respond: respondWithFailure }
      }),
    },
    {
      paths: ['/machine-context/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const { createMachineContextRoutes, createResponder } = await import('../dialects/machine-context/routes.ts')
        const respond = createResponder({ newId, now })
        return {
          routes: createMachineContextRoutes({ ...listDeps, callTool, newId, now }),
          respond: (failure) => respond(failure),
        }
      }),
    },
    {
      paths: ['/worker/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const { createOpenToolCallingRoutes, respond } = await import('../dialects/open-tool-calling/routes.ts')
        const routes = createOpenToolCallingRoutes({
          ...listDeps,
          authorize: authentication.authorizeEngine,
          callTool,
          now,
        })
        return { routes, respond: (failure) => respond(failure) }
      }),
    },
    {
      paths: ['/plugin/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const { createPluginRoutes, respond } = await import('../dialects/plugin/routes.ts')
        return {
          routes: createPluginRoutes({ ...listDeps, callTool, resolver }),
          respond: (failure) => respond(failure),
        }
      }),
    },
  ]
  return { oxp, lazyRoutes }
}
