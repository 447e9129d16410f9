import { MAX_NAME, withSuffix } from '../../core/tool/name-suffix.ts'

/** `id_capability`; what is too long for a name is cut, and told apart by a hash that stays the same. */
export function modelName(id: string, capability: string): string {
  const whole = `${id}_${capability}`
  return whole.length <= MAX_NAME ? whole : withSuffix(whole, whole)
}
