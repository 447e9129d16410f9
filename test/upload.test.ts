import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('the Worker is uploaded as it was built, with the bindings of Env except those of `npm run serve`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'uploaded-'))
  const modules = (path: string) => readdirSync(path).filter((name) => name.endsWith('.mjs'))
  try {
    const output = execFileSync('npx', ['wrangler', 'deploy', '--dry-run', '--outdir', folder], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    })
    expect(modules(folder).length).toBeGreaterThan(10)
    expect(modules(folder).sort()).toEqual(modules(join(root, 'dist/worker')).sort())
    const bound = output
      .split('\n')
      .filter((line) => line.startsWith('env.') && !line.includes('Environment Variable'))
      .map((line) => /^env\.(\w+)/.exec(line)?.[1])
    const declared = /export interface Env \{([^}]*)\}/.exec(readFileSync(join(root, 'src/env.ts'), 'utf8'))?.[1] ?? ''
    const names = [...declared.matchAll(/readonly (\w+)\??:/g)]
      .map(([, name]) => name)
      .filter((name = '') => !/^(?:DISK|WATCHDOG|SANDBOX_\w+)$/.test(name))
    expect(names.length).toBeGreaterThan(0)
    expect(bound.sort()).toEqual(names.sort())
  } finally {
    rmSync(folder, { recursive: true })
  }
})
