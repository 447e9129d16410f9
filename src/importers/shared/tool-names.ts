import { MAX_NAME, appendHash } from '../../core/tool/tool-id.ts'
import { trim } from '../../core/tool/trim.ts'

interface NamedOperation {
  readonly method: string
  readonly path: string
  readonly operationId?: string
}

/**
 * Names each tool after its operation only, so the name is the same in every import. If names collide (ignoring case, with
 * `-` as `_`), each gets a suffix from its method and path, except an `operationId` taken literally that has no `-`.
 */
export function toolNames<T extends NamedOperation>(operations: readonly T[]): (T & { readonly tool: string })[] {
  const candidates = operations.map((operation) => {
    const { operationId, method, path } = operation
    const source = operationId ?? `${method} ${path}`
    const name = trim(source.replaceAll(/[^A-Za-z0-9_-]+/g, '_'), '_') || 'operation'
    const isVerbatim = name === operationId && name.length <= MAX_NAME && !name.includes('-')
    return { operation, name, key: name.toLowerCase().replaceAll('-', '_'), isVerbatim }
  })
  const uses = new Map<string, number>()
  const verbatimUses = new Map<string, number>()
  for (const { key, isVerbatim } of candidates) {
    uses.set(key, (uses.get(key) ?? 0) + 1)
    if (isVerbatim) verbatimUses.set(key, (verbatimUses.get(key) ?? 0) + 1)
  }
  return candidates.map(({ operation, name, key, isVerbatim }) => {
    const isUnique = uses.get(key) === 1 || (isVerbatim && verbatimUses.get(key) === 1)
    const { method, path } = operation
    const tool = isUnique && name.length <= MAX_NAME ? name : appendHash(name, `${method} ${path}`)
    return { ...operation, tool }
  })
}
