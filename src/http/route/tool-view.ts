/**
 * Narrows a caller to a toolset and a lock. Those of a credential are rights: if they are gone or disabled, it sees nothing.
 * Those of a URL are a view, which the caller may omit: if they are gone or disabled, the request fails. The credential's
 * toolset precedes the URL's. Its lock precedes the toolset's, which precedes the URL's.
 */
import type { Principal, Scope } from '../../core/access/principal.ts'
import type { LockStore } from '../../core/access/tool-lock.ts'
import { EMPTY_VIEW, type ToolView } from '../../core/access/tool-view.ts'
import { readUrlToolset, stripQuery } from '../../core/access/toolset-url.ts'
import type { ToolsetStore } from '../../core/access/toolset.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'
import { VIEW_PARAMETERS, type ViewParameter } from '../request/query.ts'

export interface ViewStores {
  readonly toolsets: Pick<ToolsetStore, 'find'>
  readonly locks: Pick<LockStore, 'find'>
}

type NamedView = Partial<Record<ViewParameter, string | undefined>>

const SCOPES: readonly (Scope | undefined)[] = ['tools:read', 'tools:call', undefined]
/** Keeps one object per toolset and lock, because views are compiled per object. */
const views = createLruCache<ToolView>(200)

export async function narrowToView(
  principal: Principal,
  { url }: Pick<Request, 'url'>,
  scope: Scope | readonly Scope[] | undefined,
  background: WaitUntil,
  stores: ViewStores,
): Promise<Result<Principal>> {
  const viewNames = readNamedView(url)
  if (!viewNames.ok) return viewNames
  const isNamed = Object.keys(viewNames.value).length > 0
  if (isNamed && ![scope].flat().every((each) => SCOPES.includes(each)))
    return refuse("'toolset' and 'lock' choose tools for lists and calls: leave them out here")
  return narrowTo(principal, viewNames.value, background, stores)
}

/** Narrows to names that are not from a URL. */
export async function narrowTo(
  principal: Principal,
  named: NamedView,
  background: WaitUntil,
  { toolsets, locks }: ViewStores,
): Promise<Result<Principal>> {
  const name = principal.toolset ?? named.toolset
  const toolset = name === undefined ? undefined : await toolsets.find(name, background)
  if (name !== undefined && !toolset?.definition.enabled)
    return principal.toolset === undefined ? unknown('toolset', name) : ok({ ...principal, view: EMPTY_VIEW })
  const ownHash = principal.lock ?? toolset?.definition.lock
  const hash = ownHash ?? named.lock
  const lock = hash === undefined ? undefined : await locks.find(hash, background)
  if (hash !== undefined && !lock)
    return ownHash === undefined ? unknown('lock', hash) : ok({ ...principal, view: EMPTY_VIEW })
  if (!toolset && !lock) return ok(principal)
  const key = `${toolset?.digest} ${hash}`
  const view = views.get(key) ?? {
    key,
    ...(toolset && { toolset: { name: toolset.name, definition: toolset.definition } }),
    ...(lock && hash !== undefined && { lock: { ...lock, hash } }),
  }
  views.set(key, view)
  return ok({ ...principal, view })
}

function readNamedView(url: string): Result<NamedView> {
  const { searchParams } = new URL(url)
  const pathName = readUrlToolset(stripQuery(url))
  const named: NamedView = pathName === undefined ? {} : { toolset: pathName }
  for (const parameter of VIEW_PARAMETERS) {
    const values = searchParams.getAll(parameter)
    const [value] = values
    if (value === undefined) continue
    if (values.length > 1 || named[parameter] !== undefined) return refuse(`'${parameter}' must be said once`)
    named[parameter] = value
  }
  return ok(named)
}

function unknown(kind: ViewParameter, name: string): FailureResult {
  return fail({ type: 'not-found', message: `There is no ${kind} '${name.slice(0, 100)}' here` })
}

function refuse(message: string): FailureResult {
  return fail({ type: 'request-malformed', message })
}
