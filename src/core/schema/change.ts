import type { Problem } from '../tool/problem.ts'
import { type Definition, derivedSecurityLevel } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { compareInput, compareOutput } from './schema-change.ts'

/** A difference between two versions: where (a JSON Pointer into the newer one), what, and what it means to callers. */
export interface Change {
  readonly path: string
  /** A clause about what is so now: `Parameter 'b' is now required`. */
  readonly what: string
  readonly level: Level
}

/** `major` breaks callers, `minor` offers them more, `patch` is neither. */
export type Level = 'major' | 'minor' | 'patch'

/** The part of a definition that callers rely on. */
export type Contract = Pick<Definition, 'version' | 'input' | 'output' | 'requirements' | 'securityLevel'>

/** Everything that differs between two versions of a tool in what callers rely on; none when they agree in it. */
export function compareDefinitions(previous: Contract, next: Contract): Change[] {
  return [
    ...compareInput(previous.input, next.input, '/input'),
    ...compareOutput(previous.output, next.output, '/output'),
    ...compareRequirements(previous, next),
  ]
}

/** What the gravest of some changes asks of the version. */
export function requiredBump(changes: readonly Change[]): Level {
  if (changes.some(({ level }) => level === 'major')) return 'major'
  return changes.some(({ level }) => level === 'minor') ? 'minor' : 'patch'
}

/**
 * Whether `next` may follow `previous` under its version (Semantic Versioning 2.0.0; below 1.0.0 as npm reads it: a
 * breaking change needs a new minor version, anything else a new patch version). Gives a problem for each change that
 * needs a higher version. A version that is not higher than the previous one is not judged.
 */
export function checkSuccessor(previous: Contract, next: Contract): readonly Problem[] {
  if (compareVersions(next.version, previous.version) <= 0) return []
  const problems: Problem[] = []
  for (const { path, what, level } of compareDefinitions(previous, next)) {
    const wanted = lowestVersion(previous.version, level)
    if (compareVersions(next.version, wanted) >= 0) continue
    const kind = level === 'major' ? 'a breaking change' : 'an addition'
    const message = `${what}: ${kind} needs version ${wanted} or higher, got ${next.version}`
    problems.push({ path, message: `${message} (publish with ?allow=breaking to override)` })
  }
  return problems
}

/** The lowest version above `previous` that such a change may have; below 1.0.0 as npm reads it. */
export function lowestVersion(previous: string, level: Level): string {
  const [major = 0, minor = 0, patch = 0] = previous.split('.').map(Number)
  if (level === 'major' && major > 0) return `${major + 1}.0.0`
  if (level === 'major' || (level === 'minor' && major > 0)) return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

function compareRequirements(previous: Contract, next: Contract): Change[] {
  const changes: Change[] = []
  const before = previous.requirements
  const after = next.requirements
  const path = '/requirements'
  for (const { id } of after.secrets) {
    if (before.secrets.some((each) => each.id === id)) continue
    changes.push({ path: `${path}/secrets`, what: `Secret '${id}' is now required`, level: 'major' })
  }
  for (const { id, oauth2 } of after.authorization) {
    const known = before.authorization.find((each) => each.id === id)
    if (!known) {
      changes.push({ path: `${path}/authorization`, what: `Authorization '${id}' is now required`, level: 'major' })
    }
    for (const scope of known ? (oauth2?.scopes ?? []) : []) {
      if (known?.oauth2?.scopes.includes(scope)) continue
      const what = `Authorization '${id}' now asks for the scope '${scope}'`
      changes.push({ path: `${path}/authorization`, what, level: 'minor' })
    }
  }
  if (after.user_id && !before.user_id) {
    changes.push({ path: `${path}/user_id`, what: 'A user id is now required', level: 'major' })
  }
  for (const { id } of before.secrets) {
    if (after.secrets.some((each) => each.id === id)) continue
    changes.push({ path: `${path}/secrets`, what: `Secret '${id}' is no longer required`, level: 'patch' })
  }
  const levels = [previous, next].map((each) => each.securityLevel ?? derivedSecurityLevel(each.requirements))
  const [from = 0, to = 0] = levels
  if (to > from) {
    changes.push({ path: '/securityLevel', what: `The security level is raised from ${from} to ${to}`, level: 'major' })
  } else if (to < from) {
    changes.push({
      path: '/securityLevel',
      what: `The security level is lowered from ${from} to ${to}`,
      level: 'patch',
    })
  }
  return changes
}
