import { compilePattern, foldDashes, formatToolId, type ToolName } from './tool-id.ts'

/** Matches many names against many patterns: looks up `T.N`, `T.*` and `T.Get*`, and compares others one by one. */
export function createToolPatterns(patterns: readonly string[]) {
  const dashed = createLookup(patterns.filter((pattern) => pattern.includes('-')).map(foldDashes))
  const plain = createLookup(patterns.filter((pattern) => !pattern.includes('-')))
  return {
    /** Number of comparisons for each name. */
    compared: dashed.compared + plain.compared,
    covers(name: ToolName): boolean {
      const key = formatToolId(name).toLowerCase()
      return plain.has(key) || dashed.has(foldDashes(key))
    },
  }
}

function createLookup(patterns: readonly string[]) {
  const names = new Set<string>()
  const prefixes = new Set<string>()
  const matchers: ((key: string) => boolean)[] = []
  for (const pattern of new Set(patterns.map((text) => text.toLowerCase()))) {
    const star = pattern.indexOf('*')
    if (star === -1) names.add(pattern)
    else if (star === pattern.length - 1) prefixes.add(pattern.slice(0, -1))
    else matchers.push(compilePattern(pattern))
  }
  const longest = Math.max(-1, ...[...prefixes].map(({ length }) => length))
  const hasPrefix = (key: string): boolean => {
    for (let length = 0; length <= longest; length++) if (prefixes.has(key.slice(0, length))) return true
    return false
  }
  return {
    compared: matchers.length,
    has: (key: string) => names.has(key) || hasPrefix(key) || matchers.some((matches) => matches(key)),
  }
}

const compiledPatterns = new WeakMap<readonly string[], ReturnType<typeof createToolPatterns>>()

/** For a list that is used repeatedly, such as a credential's: it is compiled once. */
export function listCovers(patterns: readonly string[], name: ToolName): boolean {
  const lookup = compiledPatterns.get(patterns) ?? createToolPatterns(patterns)
  compiledPatterns.set(patterns, lookup)
  return lookup.covers(name)
}
