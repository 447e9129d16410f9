import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './snippets.ts'

const guide = readFileSync(join(root, 'src/docs/operate.md'), 'utf8')

it('names events that are logged', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .join('\n')
  const named = [...guide.matchAll(/"event": "([\w-]+)"/g)].map(([, event]) => event)
  expect(named.length).toBeGreaterThan(3)
  for (const event of named) expect(sources).toMatch(new RegExp(`(?:event: |\\.lines\\()'${event}'`))
})
