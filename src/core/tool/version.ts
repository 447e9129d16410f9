import compareBuild from 'semver/functions/compare-build.js'
import prerelease from 'semver/functions/prerelease.js'
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'
import { isVersion } from './tool-id.ts'

type Yank = { readonly message?: string }

export type ToolStatus =
  | { readonly state: 'active' }
  | { readonly state: 'deprecated'; readonly message?: string; readonly successor?: string }
  /** `yanked`: the version is disabled, and will be yanked when it is enabled. */
  | { readonly state: 'yanked' | 'disabled'; readonly message?: string; readonly yanked?: Yank }
  | { readonly state: 'pending' }

/** From least to most restrictive: only callers who may change a pending version can see it. */
export const STATUS_ORDER = ['active', 'deprecated', 'yanked', 'disabled', 'pending'] as const

/** Pending cannot be set: only publication leads to it. */
export const SETTABLE_STATES = ['active', 'deprecated', 'yanked', 'disabled'] as const

/** Returns the more restrictive of a version's status and its toolkit's, or the version's if they are equal. */
export function stricterStatus(version: ToolStatus, toolkit: ToolStatus): ToolStatus {
  return STATUS_ORDER.indexOf(toolkit.state) > STATUS_ORDER.indexOf(version.state) ? toolkit : version
}

/**
 * Returns the status after a change. A version that was disabled while yanked is yanked again when it is enabled: enabling
 * undoes only the disabling. `isDisabled` is also true if only the toolkit of a version is disabled.
 */
export function changeStatus(current: ToolStatus, change: ToolStatus, isDisabled: boolean): ToolStatus {
  const yanked = findYank(current)
  if (yanked && change.state === 'disabled') return { ...change, yanked }
  return yanked && isDisabled && change.state === 'active' ? { state: 'yanked', ...yanked } : change
}

function findYank(status: ToolStatus): Yank | undefined {
  if (status.state === 'disabled') return status.yanked
  if (status.state !== 'yanked') return undefined
  return status.message === undefined ? {} : { message: status.message }
}

export interface VersionStatus {
  readonly version: string
  readonly status: ToolStatus
}

export function compareVersions(a: string, b: string): number {
  return compareBuild(a, b)
}

export function isPrerelease(version: string): boolean {
  return (prerelease(version) ?? []).length > 0
}

/** A guess at the intended version: `v1` is `1.0.0`, and `2024-05-01` is `2024.5.1`. */
export function guessVersion(text: string): string {
  const numbers = /^\D{0,10}(\d{1,15})(?:[.\-_/](\d{1,15}))?(?:[.\-_/](\d{1,15}))?/.exec(text) ?? []
  const [major = 1, minor = 0, patch = 0] = numbers.slice(1).map((entry) => (entry === undefined ? 0 : Number(entry)))
  return `${major}.${minor}.${patch}`
}

/** Infers a version from an identifier of another form. */
export function inferVersion(text: string): string | undefined {
  const hasVersion = /^(?:v?\d{1,15}(?:\.\d{1,15}){0,2}|\d{4}-\d\d-\d\d)$/.test(text)
  return hasVersion && !isVersion(text) ? guessVersion(text) : undefined
}

/**
 * Resolves a range. `1` is exactly `1.0.0` (OXP 1.0, "Version resolution"). `latest` and ranges resolve to the highest
 * active match, and no range to the highest active, or else deprecated, version. Pre-releases match only if there is no
 * release or the range names one. Yanked and disabled versions match only their exact version.
 */
export function resolveVersion<T extends VersionStatus>(
  versions: readonly T[],
  versionRange?: string,
  state: ToolStatus['state'] = 'active',
): T | undefined {
  if (versionRange === undefined) return findHighest(versions, 'active') ?? findHighest(versions, 'deprecated')
  const exactVersion = /^\d{1,15}$/.test(versionRange) ? `${Number(versionRange)}.0.0` : versionRange
  if (isVersion(exactVersion)) return versions.find((entry) => entry.version === exactVersion)
  if (versionRange === 'latest') return findHighest(versions, state)
  const range = validRange(versionRange)
  if (range === null) return undefined
  const inRange = versions.filter(({ version }) => satisfies(version, range))
  return findHighest(inRange, state)
}

export function chooseVersion<T extends VersionStatus>(
  { versions, isRemovedFromDocument }: { readonly versions: readonly T[]; readonly isRemovedFromDocument?: true },
  versionRange?: string,
): T | undefined {
  const wantsNewest = versionRange === undefined || versionRange === 'latest'
  return wantsNewest && isRemovedFromDocument ? undefined : resolveVersion(versions, versionRange)
}

export function withoutPending<D extends { readonly versions: readonly VersionStatus[] }>(document: D): D | undefined {
  const versions = document.versions.filter(({ status }) => status.state !== 'pending')
  if (versions.length === document.versions.length) return document
  return versions.length === 0 ? undefined : { ...document, versions }
}

export function isVersionRange(versionRange: string): boolean {
  return isVersion(versionRange) || versionRange === 'latest' || validRange(versionRange) !== null
}

export function findHighest<T extends VersionStatus>(
  versions: readonly T[],
  state: ToolStatus['state'],
): T | undefined {
  let best: T | undefined
  for (const entry of versions) {
    if (entry.status.state === state && (!best || isPreferred(entry.version, best.version))) best = entry
  }
  return best
}

function isPreferred(version: string, other: string): boolean {
  const [isVersionPrerelease, isOtherPrerelease] = [isPrerelease(version), isPrerelease(other)]
  return isVersionPrerelease === isOtherPrerelease ? compareVersions(version, other) > 0 : isOtherPrerelease
}
