import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { load as parseYaml } from 'js-yaml'
import { signInRules } from '../../src/core/access/sign-in-rules.ts'
import { parseValue } from '../../src/core/tool/json-reader.ts'
import { type Env, loadConfig } from '../../src/env.ts'
import { CANNOT, FILES, root, snippets, snippetsOf, triedBy } from './snippets.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

it('every code block in the docs is found', () => {
  expect(FILES.length).toBeGreaterThan(12)
  expect(snippets.length).toBeGreaterThan(70)
  expect(snippets.length).toBe(FILES.flatMap((file) => [...read(file).matchAll(/^ *```\w*$/gm)]).length / 2)
})

it('every code block in the docs is tested, or has a reason why it cannot be', () => {
  expect(snippets.filter(({ way }) => way === 'untried')).toEqual([])
})

it('a code block in the docs with neither is reported', () => {
  expect(snippetsOf('x.md', '```py\nprint(1)\n```\n')).toMatchObject([{ language: 'py', way: 'untried' }])
  expect(snippetsOf('x.md', 'a\n\n   ```sh\n   b\n   ```\n\n```json\n{}\n```\n')).toMatchObject([
    { text: 'b', way: 'server' },
    { text: '{}', way: 'answer' },
  ])
})

it('every reason for not testing a code block in the docs applies to one', () => {
  for (const beginning of Object.keys(CANNOT)) {
    expect(snippets.filter(({ text }) => text.startsWith(beginning)).length, beginning).toBeGreaterThan(0)
  }
})

it('every code block in the docs names existing scripts of the package', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const named = FILES.flatMap((file) => [...read(file).matchAll(/npm run (?:-s |--silent )?([\w:]+)/g)])
  expect(named.length).toBeGreaterThan(5)
  for (const [, script = ''] of named) expect(Object.keys(scripts)).toContain(script)
})

it('the README can be read in five minutes: it has at most 1,100 words', () => {
  const words = read('README.md')
    .split(/\s+/)
    .filter((word) => /\w/.test(word))
  expect(words.length).toBeLessThanOrEqual(1_100)
  expect(words.length).toBeGreaterThan(700)
})

it('the README links to every guide, and has no broken links', () => {
  const links = [...read('README.md').matchAll(/\]\(([^)#]+)/g)].map(([, href = '']) => href)
  for (const file of FILES.filter((each) => each.startsWith('src/docs/'))) expect(links).toContain(file)
  for (const link of links.filter((href) => !href.startsWith('https:'))) expect(read(link), link).not.toBe('')
})

// https://developers.cloudflare.com/workers/platform/deploy-buttons/: resources that are created, and those that need not be
const MADE = ['kv_namespaces', 'durable_objects', 'r2_buckets']
const NEEDS_NONE = ['assets', 'ratelimits', 'worker_loaders', 'version_metadata', 'triggers']

it('the deploy button needs nothing from wrangler.toml that Cloudflare does not create', () => {
  const own = [...read('wrangler.toml').matchAll(/^\[\[?(\w+)/gm)].map(([, table = '']) => table)
  const ABOUT = ['build', 'observability', 'migrations', 'vars']
  expect(own.filter((table) => ![...MADE, ...NEEDS_NONE, ...ABOUT].includes(table))).toEqual([])
  for (const table of MADE) expect(own).toContain(table)
})

it('the deploy button asks for the secrets that the first deployment needs', () => {
  const asked = [...read('.dev.vars.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name)
  expect(asked).toEqual(['ADMIN_KEY', 'VAULT_KEYS'])
  for (const name of asked) expect(read('src/docs/operate.md')).toContain(`npx wrangler secret put ${name}`)
})

describe('additions to wrangler.toml', () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each(triedBy('wrangler'))(
    'additions to wrangler.toml are known to wrangler and to Switchboard: $text',
    ({ text: added }) => {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-toml-'))
      try {
        const own = read('wrangler.toml').replace('main = "src/index.ts"', '')
        // Keys without a table must come first; other lines may be anywhere in their table
        const isTable = /^\[/m.test(added)
        const [, table = ''] = /^\[([\w.]+)\]$/m.exec(added) ?? []
        const without = own.replace(
          new RegExp(`^\\[${table.replace('.', '\\.')}\\]\\n(?:(?!\\[).*(?:\\n|$))*`, 'm'),
          '',
        )
        const text = isTable ? `${without}\n${added}` : `${added}\n${own.replace('workers_dev = true', '')}`
        writeFileSync(join(folder, 'wrangler.toml'), text)
        const warned = vi.spyOn(console, 'warn').mockReturnValue()
        const config = readConfig({ config: join(folder, 'wrangler.toml') })
        expect(warned).not.toHaveBeenCalled()
        if (table.startsWith('vars'))
          expect(() => loadConfig(asEnv({ ...config.vars, ...secretsFor(added) }))).not.toThrow()
        else if (isTable) expect(config.observability?.traces).toMatchObject({ destinations: ['traces-of-acme'] })
        else expect(config.routes).toEqual([{ pattern: 'tools.example.com', custom_domain: true }])
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )

  it('additions to wrangler.toml with a misspelled name are refused', () => {
    expect(() => loadConfig(asEnv({ TOOL_LIMITS: { '*': { rates: {} } } }))).toThrow('TOOL_LIMITS')
  })

  /** The secrets that the guide sets with it. */
  function secretsFor(added: string): object {
    return added.includes('SIGN_IN_ISSUER') ? { SIGN_IN_CLIENT_SECRET: 'secret' } : {}
  }

  /** The bindings are not read. */
  function asEnv(variables: object): Env {
    return Object.assign(Object.create(null), variables)
  }
})

it.each(triedBy('rules'))('rules in the guides are valid: $text', ({ text }) => {
  expect(parseValue(signInRules, JSON.parse(text))).toMatchObject({ ok: true })
})

it.each(triedBy('yaml'))('YAML in the guides is valid: $text', ({ text }) => {
  expect(Object.keys(Object(parseYaml(text))).length).toBeGreaterThan(0)
})

describe('tools in the guides', async () => {
  const tools = triedBy('tool')
  // As deep in the repository as tools, so that imports resolve
  const folder = join(root, '.wrangler', `snippets-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const fileOf = (named = '') => join(folder, `${basename(named)}.ts`)
  for (const { named, text } of tools) writeFileSync(fileOf(named), `${text}\n`)
  writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "../../test/tsconfig.json", "include": ["*.ts"] }')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('tools in the guides have the types they declare', { timeout: 120_000 }, () => {
    expect(new Set(tools.map(({ named }) => named)).size).toBe(tools.length)
    expect(() => execFileSync('node_modules/.bin/tsc', ['-p', folder], { cwd: root, encoding: 'utf8' })).not.toThrow()
  })

  it('tools in the guides run: a greeting', async () => {
    const { default: hello } = await import(fileOf('Hello'))
    expect(hello.handler({ name: 'Ann' }, {})).toBe('Hello, Ann!')
  })

  // Runs its tests as tests of this file
  await import(fileOf('Order.test'))
})
