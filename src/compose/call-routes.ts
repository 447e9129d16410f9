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
  /** Paths, which may end in a wildcard: `/worker/*`. */
  readonly paths: readonly string[]
  readonly load: () => Promise<CallRoutes>
}

/** Creates the routes that call and list tools: OXP's now, and those of each other dialect on its first request. */
export function composeCallRoutes(deployment: Deployment) {
  const { stores, authentication, calls } = deployment
  const { now } = Date
  const { catalog } = stores.registry
  const { authorize } = authentication
  const { callTool, resolver } = calls
  const listDeps = { authorize, catalog, sha256 }
  const health = createHealth({ probe: stores.probe, now, sleep })
  const formats = { formatNames: [...FORMAT_NAMES.keys()], loadFormats: () => import('./dialects.ts') }
  const loadTasks = loadOnce(async () => (await import('./tasks.ts')).openTasks(deployment))
  const oxp: CallRoutes = {
    routes: createOxpRoutes({ ...listDeps, ...formats, callTool, loadTasks, health }),
    respond: respondOxpFailure,
  }
  const lazyRoutes: readonly LazyRoutes[] = [
    {
      paths: ['/console/mcp', '/mcp', '/mcp/t/*', '/connect/mcp', '/connect/mcp/t/*'],
      load: loadOnce(async () => (await import('./mcp-routes.ts')).composeMcpRoutes(deployment)),
    },
    {
      paths: ['/machine-context/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const { createMachineContextRoutes, createResponder } = await import('../dialects/machine-context/routes.ts')
        const respond = createResponder({ newId, now })
        return { routes: createMachineContextRoutes({ ...listDeps, callTool, newId, now }), respond }
      }),
    },
    {
      paths: ['/worker/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const { createOpenToolCallingRoutes, respond } = await import('../dialects/open-tool-calling/routes.ts')
        const engineDeps = { ...listDeps, authorize: authentication.authorizeEngine }
        return { routes: createOpenToolCallingRoutes({ ...engineDeps, callTool, now }), respond }
      }),
    },
    {
      paths: ['/plugin/*'],
      load: loadOnce(async (): Promise<CallRoutes> => {
        const { createPluginRoutes, respond } = await import('../dialects/plugin/routes.ts')
        return { routes: createPluginRoutes({ ...listDeps, callTool, resolver }), respond }
      }),
    },
  ]
  return { oxp, lazyRoutes }
}
