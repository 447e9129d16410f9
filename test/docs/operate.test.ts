import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'src/docs/operate.md'), 'utf8')
const settings = [...guide.matchAll(/^```toml\n([^]+?)^```$/gm)].map(([, text = '']) => text)

afterEach(() => void vi.restoreAllMocks())

it.each(settings)('what the guide adds to wrangler.toml is known there: %s', (added) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-toml-'))
  try {
    const own = readFileSync(join(root, 'wrangler.toml'), 'utf8').replace('main = "src/index.ts"', '')
    // What stands under no table comes first, and the rest of a table's anywhere
    const isTable = /^\[/m.test(added)
    const text = isTable ? `${own}\n${added}` : `${added}\n${own.replace('workers_dev = true', '')}`
    writeFileSync(join(folder, 'wrangler.toml'), text)
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    const config = readConfig({ config: join(folder, 'wrangler.toml') })
    expect(warned).not.toHaveBeenCalled()
    if (isTable) expect(config.observability?.traces).toMatchObject({ destinations: ['traces-of-acme'] })
    else expect(config.routes).toEqual([{ pattern: 'tools.example.com', custom_domain: true }])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('names events that are logged', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .join('\n')
  const named = [...guide.matchAll(/"event": "([\w-]+)"/g)].map(([, event]) => event)
  expect(named.length).toBeGreaterThan(3)
  for (const event of named) expect(sources).toContain(`event: '${event}'`)
})
