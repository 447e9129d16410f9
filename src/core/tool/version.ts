import semver from 'semver'
import { isVersion } from './tool-id.ts'

/** The only part of a published tool that changes. */
export type ToolStatus =
  | { readonly state: 'active' }
  | { readonly state: 'deprecated'; readonly message?: string; readonly successor?: string }
  | { readonly state: 'yanked' }
  /** It was published where that is reviewed, and nobody who may has said yet that it is active: to callers it is not there. */
  | { readonly state: 'pending' }
  | { readonly state: 'disabled' }

/**
 * What a version can be, what lets less be done with it behind what lets more: that one is disabled is told to whoever asks
 * for it, and that one is pending only to whoever may change it.
 */
export const STATES = ['active', 'deprecated', 'yanked', 'disabled', 'pending'] as const

/** What can be said of a version or a toolkit: that it is pending follows from its publication alone. */
export const SAID_STATES = ['active', 'deprecated', 'yanked', 'disabled'] as const

/** Of what is said of a version and of its toolkit, what lets less be done with it; of two that let the same, what is said of it. */
export function stricterStatus(own: ToolStatus, toolkit: ToolStatus): ToolStatus {
  return STATES.indexOf(toolkit.state) > STATES.indexOf(own.state) ? toolkit : own
}

export interface VersionStatus {
  readonly version: string
  readonly status: ToolStatus
}

/** Orders two versions, lowest first: a pre-release before its release, and builds of one version by their names. */
export function compareVersions(a: string, b: string): number {
  return semver.compareBuild(a, b)
}

/** Whether a version promises nothing yet, as `2.0.0-beta.1` does (Semantic Versioning 2.0.0, clause 9). */
export function isPrerelease(version: string): boolean {
  return (semver.prerelease(version) ?? []).length > 0
}

/** The version that was probably meant by a text that is none: `v1` is `1.0.0`, and `2024-05-01` is `2024.5.1`. */
export function nearestVersion(text: string): string {
  const numbers = /^\D{0,10}(\d{1,15})(?:[.\-_/](\d{1,15}))?(?:[.\-_/](\d{1,15}))?/.exec(text) ?? []
  const [major = 1, minor = 0, patch = 0] = numbers.slice(1).map((each) => (each === undefined ? 0 : Number(each)))
  return `${major}.${minor}.${patch}`
}

/**
 * Chooses among a tool's versions.
 *
 * - `1.2.3` is exactly that; `1` is exactly `1.0.0` (OXP 1.0, "Version resolution").
 * - nothing asked: the highest active version; if none is active, the highest deprecated one.
 * - `latest` and semver ranges: the highest active match.
 *
 * A pre-release is chosen only where there is no release to choose, or the range itself names one of the same `x.y.z`.
 * A yanked or disabled version answers only to its exact version. Gives undefined when nothing matches, and for a
 * selector that is neither a version nor a range.
 */
export function resolveVersion<T extends VersionStatus>(versions: readonly T[], selector?: string): T | undefined {
  if (selector === undefined) return highest(versions, 'active') ?? highest(versions, 'deprecated')
  const exact = /^\d{1,15}$/.test(selector) ? `${Number(selector)}.0.0` : selector
  if (isVersion(exact)) return versions.find((each) => each.version === exact)
  if (selector === 'latest') return highest(versions, 'active')
  const range = semver.validRange(selector)
  if (range === null) return undefined
  return highest(
    versions.filter((each) => semver.satisfies(each.version, range)),
    'active',
  )
}

/** Chooses among the versions of a tool as `resolveVersion` does; one that its document has left out has no newest. */
export function chooseVersion<T extends VersionStatus>(
  { versions, isLeftOut }: { readonly versions: readonly T[]; readonly isLeftOut?: true },
  selector?: string,
): T | undefined {
  const asksNewest = selector === undefined || selector === 'latest'
  return asksNewest && isLeftOut ? undefined : resolveVersion(versions, selector)
}

/** A tool as callers know it, without the versions that are pending; undefined where it has no others. */
export function withoutPending<D extends { readonly versions: readonly VersionStatus[] }>(document: D): D | undefined {
  const versions = document.versions.filter(({ status }) => status.state !== 'pending')
  if (versions.length === document.versions.length) return document
  return versions.length === 0 ? undefined : { ...document, versions }
}

/** Whether `selector` is something `resolveVersion` can understand. */
export function isSelector(selector: string): boolean {
  return isVersion(selector) || selector === 'latest' || semver.validRange(selector) !== null
}

function highest<T extends VersionStatus>(versions: readonly T[], state: ToolStatus['state']): T | undefined {
  let best: T | undefined
  for (const each of versions) {
    if (each.status.state === state && (!best || isBetter(each.version, best.version))) best = each
  }
  return best
}

function isBetter(version: string, than: string): boolean {
  const [early, late] = [isPrerelease(version), isPrerelease(than)]
  return early === late ? compareVersions(version, than) > 0 : late
}
