import type { Config } from '../env.ts'
import type { Build } from '../node/build.ts'
import { toFetch } from '../outbound/as-fetch.ts'
import { createGuardedFetch, type GuardedFetchOptions } from '../outbound/guarded-fetch.ts'
import { createBundledRunner } from '../runners/bundled/runner.ts'
import { printLogEntry, outboundOptions } from './platform.ts'

export function outboundOptionsFor({ allowHttpHosts }: Pick<Config, 'allowHttpHosts'>): GuardedFetchOptions {
  return { ...outboundOptions, allowHttpHosts }
}

/** Leaves out the demonstrations, unless the deployment serves them. */
export function selectServedTools({ servesDemos }: Pick<Config, 'servesDemos'>, build: Build): Build {
  if (servesDemos) return build
  const tools = build.tools.filter(({ tool }) => tool.isDemo !== true)
  const documents = build.documents.filter(({ hash }) => tools.some(({ record }) => record.source.hash === hash))
  return { hash: `${build.hash} without demonstrations`, tools, documents }
}

export function createBundled(config: Config, build: Build) {
  const guardedFetch = createGuardedFetch(outboundOptionsFor(config))
  return createBundledRunner({
    bundledHandlers: new Map(build.tools.map((bundledTool) => [bundledTool.record.id, bundledTool])),
    fetchFor: (tool) => toFetch(guardedFetch, tool),
    log: toolLog,
  })
}

export function toolLog(call_id: string, message: string): void {
  printLogEntry({ event: 'tool-log', call_id, message })
}
