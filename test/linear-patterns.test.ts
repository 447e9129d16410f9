import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { findSlowText } from './backtracking.ts'

const root = fileURLToPath(new URL('../src/', import.meta.url))

/** Quadratic patterns, and why they cannot be exploited: their text is short or comes from the user who runs them. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'cli/host-files.ts: ^\\s*(?:\\[\\s*)?["\']?mcp_servers': 'reads a file of the person who runs the command',
  'core/schema/pattern.ts: \\(\\?(?:<?[=!]|:': 'takes tokens of a valid expression, whose brackets are closed',
  'core/schema/pattern.ts: ^(?:([*+?])|\\{(\\d+)': 'matches one token, which is a whole quantifier',
}

interface Literal {
  readonly path: string
  readonly pattern: RegExp
}

/** Finds every pattern literal of `src`, except in its build programs. */
function literalsIn(path: string, text: string): Literal[] {
  const found: Literal[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } }
    if (regex) found.push({ path, pattern: new RegExp(regex.pattern, regex.flags) })
    else for (const part of Object.values(node)) walk(part)
  }
  walk(parseSync(path, text).program)
  return found
}

const literals = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/^(?:generated|node)\//.test(path))
  .flatMap((path) => literalsIn(path, readFileSync(join(root, path), 'utf8')))

it('regular expressions in the source take linear work on any text, except those that nobody else can reach', () => {
  expect(literals.length).toBeGreaterThan(350)
  const slow = literals.flatMap(({ path, pattern }) => {
    const text = findSlowText(pattern)
    return text === undefined ? [] : [{ name: `${path}: ${pattern.source}`, text }]
  })
  const isExcepted = ({ name }: { readonly name: string }) =>
    Object.keys(EXCEPTIONS).some((each) => name.startsWith(each))
  expect(
    slow.filter((each) => !isExcepted(each)).map(({ name, text }) => `${name} on ${JSON.stringify(text)}`),
  ).toEqual([])
  // An exception that has become linear must be removed
  expect(slow.filter(isExcepted)).toHaveLength(Object.keys(EXCEPTIONS).length)
})

it.each([
  /^_+|_+$/g,
  /=+$/,
  /\s+$/,
  /[^A-Za-z0-9]*$/,
  /^ {0,3}#{1,6} +(.*?)#*$/,
  /<!--[^]*?-->/g,
  /^\s*at (.*)$/m,
  /(\w+\s?)*$/,
  /\[([^\]]*)\]\(/g,
  /(?<=a*)b/,
])('regular expressions in the source would be reported as slow: %s', (pattern) => {
  expect(findSlowText(pattern)).toBeDefined()
})

it.each([/^_+/, /[^a-z]+/g, /^(?:a|b)+$/, /<!--(?:[^]*?-->|[^]*)/g, /={1,2}$/, /^[^@]{1,64}@(\w+\.)+\w+$/])(
  'regular expressions in the source are accepted as linear: %s',
  (pattern) => {
    expect(findSlowText(pattern)).toBeUndefined()
  },
)
