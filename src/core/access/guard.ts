import { described, integer, optional, parsed } from '../tool/json-reader.ts'
import { type Definition, derivedSecurityLevel } from '../tool/tool.ts'

/** What somebody wants of a tool's calls beside what its definition asks. It raises that, and never lowers it. */
export interface Guard {
  /** Its security level is this at least. */
  readonly security_level?: number | undefined
  /** Each call needs a person's approval, whatever the level. */
  readonly approval?: true | undefined
}

/** What is so where somebody says it, and cannot be taken back by saying that it is not. */
export const onlyTrue = parsed(
  'true: where nobody says so, it is not so',
  (value) => (value === true ? value : undefined),
  () => ({ const: true }),
)

/** How the fields of a guard are read, wherever one is said. */
export const guardFields = {
  security_level: optional(
    described('From 1 to 10: from 4 a key must name the tool, from 8 a person approves each call', integer(1, 10)),
  ),
  approval: optional<true>(described('A person approves each call, whatever the level', onlyTrue)),
}

/** A security level, where an approval is needed: that is for somebody who can be told from others. */
export function leastLevel(level: number, approval: boolean): number {
  return approval ? Math.max(1, level) : level
}

type Guarded = Pick<Definition, 'requirements' | 'securityLevel' | 'requiresApproval'>

/** A definition that asks for what it asked for, and for what every one of these guards does. */
export function guarded<T extends Guarded>(definition: T, guards: readonly Guard[]): T {
  const approval = guards.some((guard) => guard.approval)
  const level = Math.max(0, ...guards.map(({ security_level: least }) => least ?? 0))
  const before = definition.securityLevel ?? derivedSecurityLevel(definition.requirements)
  const wanted = leastLevel(level, approval)
  return {
    ...definition,
    ...(wanted > before ? { securityLevel: wanted } : {}),
    ...(approval ? { requiresApproval: true } : {}),
  }
}

/** What a version asks for beyond what follows from its requirements; undefined where that is nothing. */
export function guardOf({ requirements, securityLevel, requiresApproval }: Guarded): Guard | undefined {
  const isRaised = securityLevel !== undefined && securityLevel > derivedSecurityLevel(requirements)
  if (!isRaised && !requiresApproval) return undefined
  return { ...(isRaised ? { security_level: securityLevel } : {}), ...(requiresApproval ? { approval: true } : {}) }
}
