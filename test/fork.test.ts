import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Fork, fork, runIn } from './fork/fork.ts'

const tests = fileURLToPath(new URL('.', import.meta.url))

let made: Fork
beforeAll(() => {
  made = fork()
})
afterAll(() => made?.remove())

it(
  'a fork with tools added, changed and removed is built from its own tools, and keeps the rules of the architecture',
  { timeout: 240_000 },
  () => {
    runIn(made, 'npm', 'run', '--silent', 'generate')
    const build = readFileSync(join(made.folder, 'src/generated/build.ts'), 'utf8')
    expect(build).toContain(`from '../../tools/${made.added}.ts'`)
    expect(build).toContain(`"${made.changed.replace('/', '.')}@77.0.0"`)
    expect(build).not.toContain(`tools/${made.removed}.ts`)
    const files = ['--project', 'node', 'test/architecture.test.ts', '--testNamePattern', '^(?!the bundle)']
    expect(runIn(made, 'vitest', 'run', '--config', 'test/vitest.config.ts', ...files)).toMatch(/Tests +\d+ passed/)
  },
)

// So no other test can be affected; `npm run fork` verifies that by running them all
it('a fork with tools added, changed and removed affects only the tests that accept its tools as they are', () => {
  const readers = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('fixtures/'))
    .filter((path) => {
      const text = readFileSync(join(tests, path), 'utf8')
      return /from '(?:\.\.\/)+(?:tools\/[A-Z]|src\/(?:index|generated\/(?:build|validators)))/.test(text)
    })
  expect(readers.sort()).toEqual(['dialects/read-back.test.ts', 'e2e/npm-run.test.ts', 'platform/in-process.ts'])
})
