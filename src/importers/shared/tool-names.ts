import { MAX_NAME, withSuffix } from '../../core/tool/name-suffix.ts'

/** What a tool's name is made of. */
export interface NamedAfter {
  readonly method: string
  readonly path: string
  readonly operationId?: string
}

/**
 * Names tools after operations: by the `operationId`, with `_` for each run of characters that a name cannot have; without
 * one, by method and path. A name depends on nothing else, so it is the same in every import: where names meet (case does
 * not count), each gets a suffix made of its method and path, but for the one that is an `operationId` letter by letter.
 */
export function toolNames(operations: readonly NamedAfter[]): string[] {
  const wanted = operations.map(({ operationId, method, path }) => {
    const source = operationId ?? `${method} ${path}`
    const name = source.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '') || 'operation'
    return { name, verbatim: name === operationId && name.length <= MAX_NAME }
  })
  const groups = new Map<string, { all: number; verbatim: number }>()
  for (const { name, verbatim } of wanted) {
    const group = groups.get(name.toLowerCase()) ?? { all: 0, verbatim: 0 }
    groups.set(name.toLowerCase(), { all: group.all + 1, verbatim: group.verbatim + (verbatim ? 1 : 0) })
  }
  return operations.map(({ method, path }, index) => {
    const { name, verbatim } = wanted[index] ?? { name: '', verbatim: false }
    const group = groups.get(name.toLowerCase())
    const alone = group?.all === 1 || (verbatim && group?.verbatim === 1)
    return alone && name.length <= MAX_NAME ? name : withSuffix(name, `${method} ${path}`)
  })
}
