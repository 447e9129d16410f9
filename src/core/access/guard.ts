import { described, integer, matching, optional } from '../tool/json-reader.ts'
import { type Definition, derivedSecurityLevel } from '../tool/tool.ts'

export interface Guard {
  readonly security_level?: number | undefined
  readonly approval?: true | undefined
}

const isTrue = (value: unknown) => value === true
export const onlyTrue = matching('true, or left out', isTrue, () => ({ const: true }))

const LEVEL_WORDS = 'From 1 to 10: from 4 a key must name the tool, from 8 a person approves each call'
export const guardFields = {
  security_level: optional(described(LEVEL_WORDS, integer(1, 10))),
  approval: optional<true>(described('A person approves each call, whatever the level', onlyTrue)),
}

export function leastLevel(level: number, approval: boolean): number {
  return approval ? Math.max(1, level) : level
}

type Guarded = Pick<Definition, 'requirements' | 'securityLevel' | 'requiresApproval'>

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

export function guardOf({ requirements, securityLevel, requiresApproval }: Guarded): Guard | undefined {
  const isRaised = securityLevel !== undefined && securityLevel > derivedSecurityLevel(requirements)
  if (!isRaised && !requiresApproval) return undefined
  return { ...(isRaised ? { security_level: securityLevel } : {}), ...(requiresApproval ? { approval: true } : {}) }
}
