import { covers, type Principal } from '../access/principal.ts'
import type { Background, Signal } from '../tool/platform.ts'
import { refuseUncovered } from './authorise.ts'
import type { BareName } from './bare-name.ts'
import { type Deadline, endedEarly } from './deadline.ts'
import { type Failing, fail } from '../failure/failure.ts'
import type { Resolved, Resolver } from './resolve.ts'

/** How a call says which tool it is for. */
export interface AskedTool {
  /** The tool's id as the caller wrote it. */
  readonly asked: string
  /** The same where it is a name without a toolkit: it must be one tool's, which is given no token of no provider. */
  readonly bareName?: BareName
  /** The same as an address of a document's tool, which is tried first (`askedByDocument`). */
  readonly address?: string
}

/** Who asks for a tool. */
export interface Asker {
  readonly principal: Principal
  readonly background: Background
  /** Aborts when the caller goes away. */
  readonly signal: () => Signal | undefined
}

export interface AskedToolDeps {
  readonly resolver: Resolver
  readonly startDeadline: (timeoutMs: number, caller: () => Signal | undefined) => Deadline
}

/** To find a tool takes no longer than this, in milliseconds. */
const RESOLVE_MS = 15_000

/**
 * Finds the tool of an address, where there is one that its caller may know of; else the tool of an id, which the caller has to
 * cover. At once where it was asked for a moment ago, as for most calls.
 */
export function findAsked(
  id: string,
  address: string | undefined,
  asker: Asker,
  deps: AskedToolDeps,
): Resolved | Failing | Promise<Resolved | Failing> {
  if (address === undefined) return findById(id, asker, deps)
  const orById = (found: Resolved | Failing) =>
    found.ok && covers(asker.principal, found.tool.record) ? found : findById(id, asker, deps)
  const found = resolveInTime(address, asker, deps)
  return found instanceof Promise ? found.then(orById) : orById(found)
}

function findById(id: string, asker: Asker, deps: AskedToolDeps): Resolved | Failing | Promise<Resolved | Failing> {
  return refuseUncovered(asker.principal, id) ?? resolveInTime(id, asker, deps)
}

function resolveInTime(
  asked: string,
  { background, signal }: Asker,
  { resolver, startDeadline }: AskedToolDeps,
): Resolved | Failing | Promise<Resolved | Failing> {
  const resolving = resolver.resolve(asked, background)
  return resolving instanceof Promise ? inTime(resolving, startDeadline(RESOLVE_MS, signal)) : resolving
}

async function inTime(resolving: Promise<Resolved | Failing>, deadline: Deadline): Promise<Resolved | Failing> {
  const resolved = await deadline.race(resolving)
  if (resolved === 'cancelled') return endedEarly(resolved, RESOLVE_MS)
  return resolved === 'expired' ? fail({ type: 'unavailable', message: 'Cannot look up the tool in time' }) : resolved
}
