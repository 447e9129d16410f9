import semver from 'semver'
import { isVersion } from './tool-id.ts'

/** The only part of a published tool that changes. */
export type ToolStatus =
  | { readonly state: 'active' }
  | { readonly state: 'deprecated'; readonly message?: string; readonly successor?: string }
  | { readonly state: 'yanked' }
  | { readonly state: 'disabled' }

export interface VersionStatus {
  readonly version: string
  readonly status: ToolStatus
}

/** Orders two `x.y.z` versions, lowest first. */
export function compareVersions(a: string, b: string): number {
  return semver.compare(a, b)
}

/**
 * Chooses among a tool's versions.
 *
 * - `1.2.3` is exactly that; `1` is exactly `1.0.0` (OXP 1.0, "Version resolution").
 * - nothing asked: the highest active version; if none is active, the highest deprecated one.
 * - `latest` and semver ranges: the highest active match.
 *
 * A yanked or disabled version answers only to its exact version. Gives undefined when nothing matches, and for a
 * selector that is neither a version nor a range.
 */
export function resolveVersion<T extends VersionStatus>(versions: readonly T[], selector?: string): T | undefined {
  if (selector === undefined) return highest(versions, 'active') ?? highest(versions, 'deprecated')
  const exact = /^\d{1,9}$/.test(selector) ? `${Number(selector)}.0.0` : selector
  if (isVersion(exact)) return versions.find((each) => each.version === exact)
  if (selector === 'latest') return highest(versions, 'active')
  const range = semver.validRange(selector)
  if (range === null) return undefined
  return highest(
    versions.filter((each) => semver.satisfies(each.version, range)),
    'active',
  )
}

/** Whether `selector` is something `resolveVersion` can understand. */
export function isSelector(selector: string): boolean {
  return isVersion(selector) || selector === 'latest' || semver.validRange(selector) !== null
}

function highest<T extends VersionStatus>(versions: readonly T[], state: ToolStatus['state']): T | undefined {
  let best: T | undefined
  for (const each of versions) {
    if (each.status.state === state && (!best || compareVersions(each.version, best.version) > 0)) best = each
  }
  return best
}
