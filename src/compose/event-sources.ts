import { waitUntil } from 'cloudflare:workers'
import type { EventSource } from '../core/event/event-source.ts'
import { runSource, type SourceRunDeps } from '../core/event/run-sources.ts'
import type { Failure } from '../core/failure/failure.ts'
import { CALL_UNITS, createBudget } from '../core/tool/budget.ts'
import { createReloadPrincipal } from '../http/caller/reload-principal.ts'
import { narrowTo } from '../http/route/tool-view.ts'
import { kvKey } from '../storage/keys.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import type { Deployment } from './deployment.ts'
import { printLogEntry } from './platform.ts'

/** A call must end before the next run. */
const MAX_CALL_MS = 50_000

/** Runs the schedules and polls that are due. */
export async function runEventSources(deployment: Deployment): Promise<void> {
  const { config, stores, calls } = deployment
  const { access, registry } = stores
  const runs = await access.listSourceRuns()
  if (runs.length === 0) return
  await Promise.all([registry.installBundle(), registry.policies.ready(waitUntil)])
  const findPrincipal = createReloadPrincipal(deployment)
  const deps: Omit<SourceRunDeps, 'isCurrent' | 'noteRun'> = {
    publish: (await stores.loadEvents()).publish,
    callTool: calls.callTool,
    async findCaller(id) {
      const currentPrincipal = await findPrincipal({ id: `key:${id}`, kind: 'key', scopes: [], tools: [], users: [] })
      const narrowedPrincipal = currentPrincipal.ok
        ? await narrowTo(currentPrincipal.value, {}, waitUntil, registry)
        : currentPrincipal
      if (!narrowedPrincipal.ok) return undefined
      return {
        principal: narrowedPrincipal.value,
        dialect: 'event-source',
        audience: 'program',
        budget: createBudget(CALL_UNITS),
        background: waitUntil,
        signal: () => AbortSignal.timeout(MAX_CALL_MS),
        requestUrl: () => config.publicUrl ?? 'https://localhost',
      }
    },
    sha256,
    now: Date.now,
  }
  const work = runs.map(async ({ source: text, ...run }) => {
    const source: EventSource = JSON.parse(text)
    const failed = (error: unknown): Failure => ({ type: 'internal', reference: String(error) })
    const isCurrent = async () => (await access.value(kvKey('eventSource', source.id))) === text
    const noteRun: SourceRunDeps['noteRun'] = (latest) => access.noteSourceRun(text, latest)
    const failure = await runSource(source, run, { ...deps, isCurrent, noteRun }).catch(failed)
    if (failure) printLogEntry({ event: 'event-source', source: source.id, failure })
  })
  await Promise.all(work)
}
