/** `id_capability`; what is too long for a name is cut, and told apart by a hash that stays the same. */
export function modelName(id: string, capability: string): string {
  const whole = `${id}_${capability}`
  return whole.length <= 64 ? whole : `${whole.slice(0, 55)}_${fnv1a(whole)}`
}

/** FNV-1a, 32 bits, as eight hex digits. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
