import { covers, type Principal } from '../../core/access/principal.ts'
import { hashLock } from '../../core/access/tool-lock.ts'
import { findChosenTool, toOwnRef, toViewName, type ToolView } from '../../core/access/tool-view.ts'
import type { Catalog, LineFormat } from '../../core/catalog/catalog.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { formatToolId, parseToolId, toolKey } from '../../core/tool/tool-id.ts'
import { parseToolRef } from '../../core/tool/tool-ref.ts'
import { narrowTo, type ViewStores } from '../../http/route/tool-view.ts'
import type { ReadinessBody } from './wire.ts'

export interface ReadinessToolsDeps {
  readonly views: ViewStores
  readonly catalog: Pick<Catalog, 'list'>
  readonly sha256: Sha256
}

interface ReadinessTools {
  readonly viewer: Principal
  readonly refs: readonly string[]
}

const MAX_TOOLS = 500
const LINE: LineFormat = { name: 'id', write: ({ id }) => id }

/** Selects the tools of a readiness request, and the viewer: the caller, narrowed to the named toolset or lock. */
export async function selectReadinessTools(
  request: ReadinessBody,
  principal: Principal,
  background: WaitUntil,
  deps: ReadinessToolsDeps,
): Promise<Result<ReadinessTools>> {
  if (request.tools) return ok({ viewer: principal, refs: request.tools })
  const narrowedPrincipal = await narrow(request, principal, background, deps)
  if (!narrowedPrincipal.ok) return narrowedPrincipal
  const viewer = narrowedPrincipal.value
  const refs = await listRefs(viewer, deps.catalog)
  if (refs.length <= MAX_TOOLS) return ok({ viewer, refs })
  const message = `At most ${MAX_TOOLS} tools are checked at once: send some of them as 'tools', or a lock of some`
  return fail({ type: 'request-malformed', message })
}

async function narrow(
  { toolset, lock }: ReadinessBody,
  principal: Principal,
  background: WaitUntil,
  { views, sha256 }: ReadinessToolsDeps,
): Promise<Result<Principal>> {
  const own = principal.view
  if (typeof lock === 'object') {
    const hash = await hashLock(lock, sha256)
    const view = { ...own, key: `${own?.key} ${hash}`, lock: { ...lock, hash } }
    return own?.lock && own.lock.hash !== hash ? refuseOther() : ok({ ...principal, view })
  }
  const viewNames = { toolset: toolset ?? own?.toolset?.name, lock: lock ?? own?.lock?.hash }
  const narrowedPrincipal = await narrowTo(principal, viewNames, background, views)
  if (!narrowedPrincipal.ok) return narrowedPrincipal
  const { view } = narrowedPrincipal.value
  const isNamed = lock === undefined ? view?.toolset?.name === toolset : view?.lock?.hash === lock
  return isNamed ? narrowedPrincipal : refuseOther()
}

function refuseOther(): FailureResult {
  return fail({ type: 'forbidden', reason: 'A toolset or a lock of its own comes before the one that is named' })
}

/** Lists visible tools by their names in the view. Includes all of a lock's tools, because catalog lists omit changed ones. */
async function listRefs(viewer: Principal, catalog: Pick<Catalog, 'list'>): Promise<readonly string[]> {
  const view: ToolView = viewer.view ?? { key: '' }
  const refs = new Map<string, string>()
  const add = (id: string) => refs.set(toolKey(parseToolId(id) ?? { toolkit: '', tool: id }), id)
  const entries = view.toolset?.definition.tools ?? []
  const isAnonymous = viewer.kind === 'anonymous'
  for (const entry of isAnonymous ? [] : entries) {
    const own = entry.tool.includes('*') ? undefined : parseToolId(entry.tool)
    if (own && covers(viewer, own, 'tools:read')) add(formatToolId(toViewName(own, entry)))
  }
  for (const { id } of Object.values(view.lock?.tools ?? {})) {
    const ref = toOwnRef(view, parseToolRef(id))
    if (ref.kind === 'id' && findChosenTool(view, ref)) add(id)
  }
  if (!view.lock && (isAnonymous || entries.some(({ tool }) => tool.includes('*')))) {
    const listing = await catalog.list({ versions: 'newest', limit: MAX_TOOLS + 1 }, viewer, LINE)
    for (const id of listing?.lines ?? []) add(id)
  }
  return [...refs.values()]
}
