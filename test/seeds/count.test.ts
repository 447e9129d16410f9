import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const guide = readFileSync(new URL('../../src/docs/dialects.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ')

it.each(['oxp', 'open-tool-calling', 'machine-context', 'plugin', 'mcp'])(
  'the guide gives the number of statements of %s that hold, and of those from which we deviate',
  (document) => {
    const tests = readdirSync(here)
      .filter((name) => name.startsWith(document) && name.endsWith('.test.ts'))
      .map((name) => readFileSync(`${here}${name}`, 'utf8'))
    // Each is called at the start of a line, and none in a loop
    const count = (called: string) =>
      tests.flatMap((text) => text.match(new RegExp(`^ *${called}\\((?:$|['"\`A-Z])`, 'gm')) ?? []).length
    expect(guide).toContain(`\`test/seeds/${document}.test.ts\` | ${count('works')} | ${count('deviates')} |`)
  },
)
