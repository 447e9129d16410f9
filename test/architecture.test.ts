import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modulesIn } from '../src/node/bundle.ts'
import { buildBundle } from './e2e/server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Source {
  /** Relative to the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
  /** Paths relative to the root, or package names, of all modules that it imports or re-exports, including types. */
  readonly imports: readonly string[]
}

/** Reads every source file except `src/generated`, which is built from the others. */
function readSources(folder: string): Source[] {
  return (
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      // Sent to browsers as text, so not part of the Worker
      .filter((path) => !/^src\/(?:generated|console\/browser)\//.test(path))
      .map((path) => {
        const text = readFileSync(join(root, path), 'utf8')
        return { path, text, imports: listImports(path, text) }
      })
  )
}

/** Finds what follows `from`, a bare `import` or `import(`. The formatter puts each at the start of a line. */
function listImports(path: string, text: string): string[] {
  const statement = /^(?:import|export|\})[^'"`\n]*\bfrom\s*['"]([^'"\n]+)['"]|^import\s*['"]([^'"\n]+)['"]/gm
  const dynamic = /\bimport\s*\(\s*['"`]([^'"`\n]+)['"`]/g
  return [...text.matchAll(statement), ...text.matchAll(dynamic)].map(([, from, bare]) => {
    const specifier = from ?? bare ?? ''
    return specifier.startsWith('.') ? join(dirname(path), specifier) : specifier
  })
}

const sources = [...readSources('src'), ...readSources('tools')]
/** Without the tests beside the tools: like all tests, they import their subject. */
const code = sources.filter(({ path }) => !path.endsWith('.test.ts'))
/** The code of the Worker; `src/node` builds and serves it, `src/cli` and `src/client` send requests to it. */
const worker = code
  .filter(({ path }) => !/^src\/(?:node|cli|client)\//.test(path))
  // A separate Worker, in another process
  .filter(({ path }) => path !== 'src/runners/sandbox/process-host.ts')

const inFolders =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`))
const isPackage =
  (...packages: string[]) =>
  (imported: string) =>
    packages.some((name) => imported === name || imported.startsWith(`${name}/`) || imported.startsWith(`${name}:`))
const anyOf =
  (...tests: ((path: string) => boolean)[]) =>
  (path: string) =>
    tests.some((test) => test(path))
const isEnv = (path: string) => path === 'src/env.ts'

const CORE = [
  'core/tool',
  'core/schema',
  'core/access',
  'core/cache',
  'core/catalog',
  'core/consent',
  'core/failure',
  'core/publish',
  'core/search',
  'core/call',
  'core/task',
  'core/event',
  'core/skill',
  'core/page',
]
/** The folders of `src`, and the other folders that each may import. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'core/tool': [],
  'core/schema': ['core/tool'],
  'core/access': ['core/tool'],
  'core/catalog': ['core/tool', 'core/access'],
  'core/consent': ['core/tool', 'core/schema'],
  'core/failure': ['core/tool', 'core/schema', 'core/access', 'core/consent'],
  'core/cache': ['core/tool', 'core/failure'],
  'core/search': ['core/tool'],
  'core/publish': ['core/tool', 'core/schema', 'core/access', 'core/skill'],
  'core/skill': ['core/tool', 'core/access'],
  'core/call': [
    'core/tool',
    'core/schema',
    'core/access',
    'core/cache',
    'core/catalog',
    'core/consent',
    'core/failure',
  ],
  'core/task': ['core/tool', 'core/schema', 'core/access', 'core/consent', 'core/failure', 'core/call'],
  'core/event': ['core/tool', 'core/schema', 'core/access', 'core/failure', 'core/call'],
  'core/page': ['core/tool', 'core/failure', 'core/call'],
  'dialects/machine-context': [...CORE, 'http'],
  'dialects/mcp': [...CORE, 'http'],
  'dialects/open-tool-calling': [...CORE, 'http'],
  'dialects/oxp': [...CORE, 'http'],
  'dialects/plugin': [...CORE, 'http'],
  'formats': ['core/tool', 'core/schema'],
  'api/archive': [...CORE, 'http'],
  'api/artifacts': [...CORE, 'http'],
  'api/authorizations': [...CORE, 'http'],
  'api/calls': [...CORE, 'http'],
  'api/clients': [...CORE, 'http'],
  'api/findings': [...CORE, 'http'],
  'api/keys': [...CORE, 'http'],
  // Its page belongs to the guides
  'api/openapi': [...CORE, 'http', 'docs'],
  'api/policies': [...CORE, 'http'],
  'api/providers': [...CORE, 'http'],
  // Revokes the access of users who leave
  'api/scim': [...CORE, 'http', 'api/users'],
  'api/servers': [...CORE, 'http'],
  'api/sessions': [...CORE, 'http'],
  'api/skills': [...CORE, 'http'],
  'api/subscriptions': [...CORE, 'http'],
  'api/toolkits': [...CORE, 'http'],
  'api/tools': [...CORE, 'http'],
  'api/users': [...CORE, 'http'],
  // The files next to the folders of the resources
  'api': [...CORE, 'http', 'docs'],
  'runners': [...CORE, 'outbound'],
  'importers': [...CORE, 'outbound'],
  'oauth-client': [...CORE, 'outbound'],
  'storage': [...CORE, 'oauth-client', 'outbound'],
  'sign-in': [...CORE, 'http', 'oauth-client', 'outbound', 'storage'],
  // From `generated`: the agent hosts of the guide
  'docs': [...CORE, 'http', 'generated'],
  'connect': [...CORE, 'http', 'outbound', 'storage'],
  // Sends requests to the deployment's routes and imports the types of their responses. From `docs`: how hosts are
  // configured. From `generated`: its style and script
  'console': [...CORE, 'http', 'docs', 'api', 'generated'],
  // Others install it as a package
  'client': [],
  // Runs on Node, and writes schemas as types
  // From `generated`: the guide's examples. From `core/access`: the locks it writes. From `core/publish`: their comparison
  'cli': [
    'client',
    'docs',
    'core/skill',
    'core/search',
    'core/tool',
    'core/schema',
    'core/access',
    'core/publish',
    'formats',
    'generated',
  ],
  // One function reads the bodies of requests and responses up to a limit
  'http': [...CORE, 'outbound'],
  'outbound': CORE,
}
/** Undefined for the composition, the environment and `src/node`. */
const findFolder = (path: string) => Object.keys(ALLOWED_IMPORTS).find((folder) => path.startsWith(`src/${folder}/`))

/** The pure modules of `http`: the table of statuses and the query parameters. */
const PURE_HTTP_FILES: ReadonlySet<string> = new Set([
  'src/http/response/failure-status.ts',
  'src/http/request/query.ts',
  'src/http/request/wait.ts',
])

interface Rule {
  readonly name: string
  readonly files: (path: string) => boolean
  readonly forbids: (imported: string, path: string) => boolean
  /** A line that breaks the rule, in a file at this path. */
  readonly violation: readonly [path: string, line: string]
}

/** The entry and the composition of a deployment. */
const isComposition = anyOf(inFolders('src/compose'), (path) => /^src\/(?:index|dispatcher|app)\.ts$/.test(path))

/** The modules of `core/schema` that others may import. */
const SCHEMA_ENTRY_POINTS: ReadonlySet<string> = new Set(
  ['publishable', 'compatibility', 'validator', 'validation-messages', 'expand', 'keywords', 'subschemas'].map(
    (each) => `src/core/schema/${each}.ts`,
  ),
)

/** The folders of `storage`, and the others that each may import. All may import the files next to them. */
const ALLOWED_STORAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  access: [],
  artifacts: ['sealing'],
  connect: ['sealing'],
  idempotency: ['sealing'],
  records: ['sealing'],
  registry: ['sealing'],
  sealing: [],
  tasks: ['sealing'],
  vault: ['sealing'],
}

const RULES: readonly Rule[] = [
  ...Object.entries(ALLOWED_STORAGE_IMPORTS).map(([folder, allowed]) => ({
    name: `storage/${folder} imports no other folder of storage${allowed.length === 0 ? '' : ` but ${allowed.join(', ')}`}`,
    files: inFolders(`src/storage/${folder}`),
    forbids: inFolders(
      ...Object.keys(ALLOWED_STORAGE_IMPORTS)
        .filter((other) => other !== folder && !allowed.includes(other))
        .map((other) => `src/storage/${other}`),
    ),
    violation: [
      `src/storage/${folder}/x.ts`,
      `import { createTables } from '../${folder === 'access' ? 'registry' : 'access'}/tables.ts'`,
    ] as const,
  })),
  {
    name: 'files beside the folders of storage import none of them',
    files: (path) => /^src\/storage\/[^/]+$/.test(path),
    forbids: inFolders(...Object.keys(ALLOWED_STORAGE_IMPORTS).map((folder) => `src/storage/${folder}`)),
    violation: ['src/storage/kv-outbox.ts', "import { createTables } from './registry/tables.ts'"],
  },
  ...Object.entries(ALLOWED_IMPORTS).map(([folder, allowed]) => ({
    name: `${folder} imports only ${[...allowed, 'itself'].join(', ')}`,
    files: inFolders(`src/${folder}`),
    forbids: (imported: string) =>
      imported.startsWith('src/') && !inFolders(`src/${folder}`, ...allowed.map((name) => `src/${name}`))(imported),
    violation: [
      `src/${folder}/x.ts`,
      `import { createApp } from '${'../'.repeat(folder.split('/').length)}app.ts'`,
    ] as const,
  })),
  {
    name: 'core imports no HTTP library and no platform',
    files: inFolders('src/core'),
    forbids: isPackage('hono', 'cloudflare', '@cloudflare', 'node', 'wrangler', 'miniflare'),
    violation: ['src/core/schema/x.ts', "import { Hono } from 'hono'"],
  },
  {
    name: 'only routes import Hono, and what composes, declares and replaces them',
    files: (path) =>
      !/^src\/(?:dialects|api|sign-in|docs|connect|console)\/(?:.*\/)?routes\.ts$/.test(path) &&
      !['operation', 'page-router', 'router', 'public-router', 'not-found'].some(
        (each) => path === `src/http/route/${each}.ts`,
      ) &&
      path !== 'src/http/response/error-handler.ts' &&
      !/^src\/(?:index|dispatcher|app)\.ts$/.test(path),
    // JSX only writes HTML and reads no requests
    forbids: (imported, path) =>
      isPackage('hono')(imported) &&
      !(path.endsWith('.tsx') && isPackage('hono/jsx', 'hono/html')(imported)) &&
      imported !== 'hono/jsx/jsx-runtime',
    violation: ['src/dialects/oxp/wire.ts', "import { html } from 'hono/html'"],
  },
  {
    name: 'wire, definitions and failure tables are pure',
    files: (path) => inFolders('src/dialects', 'src/api')(path) && /\/(?:wire|definition|failure)\.ts$/.test(path),
    forbids: anyOf(
      isPackage('hono', 'cloudflare'),
      (path) => inFolders('src/http')(path) && !PURE_HTTP_FILES.has(path),
    ),
    violation: ['src/dialects/oxp/wire.ts', "import { jsonText } from '../../http/json-response.ts'"],
  },
  {
    name: 'the console imports only the types of the responses of api',
    files: inFolders('src/console'),
    forbids: (imported) => inFolders('src/api')(imported) && imported !== 'src/api/answers.ts',
    violation: ['src/console/keys/page.tsx', "import { encodeListed } from '../../api/keys/routes.ts'"],
  },
  {
    name: 'tools import only #tool',
    files: inFolders('tools'),
    forbids: (imported) => imported !== '#tool',
    violation: ['tools/SMS/Send.ts', "const { loadConfig } = await import('../../src/env.ts')"],
  },
  {
    name: 'the OpenAPI importer is pure: it imports core, what importers share, and a reader of YAML',
    files: inFolders('src/importers/openapi', 'src/importers/shared'),
    forbids: (imported) =>
      imported !== 'js-yaml' && !inFolders('src/importers/openapi', 'src/importers/shared', 'src/core')(imported),
    violation: ['src/importers/openapi/x.ts', "import type { GuardedFetch } from '../../outbound/guarded-fetch.ts'"],
  },
  {
    name: 'what runs in a sandbox imports only files beside it',
    files: (path) => /^src\/runners\/\w+\/guest\//.test(path),
    forbids: (imported, path) => !isPackage('cloudflare')(imported) && dirname(imported) !== dirname(path),
    violation: ['src/runners/code/guest/main.ts', "import { REFUSED_HEADER } from '../../sandbox/policy.ts'"],
  },
  {
    name: 'other folders import only the entry points of core/schema',
    files: (path) => !inFolders('src/core/schema')(path),
    forbids: (imported) => inFolders('src/core/schema')(imported) && !SCHEMA_ENTRY_POINTS.has(imported),
    violation: ['src/formats/x.ts', "import { linearPattern } from '../core/schema/pattern.ts'"],
  },
  {
    name: 'callers, requests, responses and pages import no routes',
    files: inFolders('src/http/caller', 'src/http/request', 'src/http/response', 'src/http/page'),
    forbids: inFolders('src/http/route'),
    violation: ['src/http/caller/x.ts', "import { createRoute } from '../route/route.ts'"],
  },
  {
    name: 'the Worker imports neither the command line nor the client',
    files: (path) => !inFolders('src/cli', 'src/client')(path),
    forbids: inFolders('src/cli', 'src/client'),
    violation: ['src/compose/x.ts', "import { Switchboard } from '../client/index.ts'"],
  },
  {
    name: 'nothing imports the entry',
    files: () => true,
    forbids: (imported, path) =>
      imported === 'src/index.ts' ||
      (imported === 'src/dispatcher.ts' && path !== 'src/index.ts') ||
      (imported === 'src/app.ts' && path !== 'src/dispatcher.ts'),
    violation: ['src/env.ts', "import { createApp } from './app.ts'"],
  },
  {
    name: 'only the entry, the composition, and the server that reads their settings import the composition and the environment',
    files: (path) => !isComposition(path) && !/^src\/node\/(?:serve|network)\.ts$/.test(path),
    forbids: anyOf(isEnv, inFolders('src/compose')),
    violation: ['src/storage/x.ts', "import { loadConfig } from '../env.ts'"],
  },
]

/** Finds import cycles, each as a list of files. A file is in at most one. */
function findCycles(files: ReadonlyMap<string, readonly string[]>): string[][] {
  const listReachable = (start: string) => {
    const reachable = new Set(files.get(start))
    for (const path of reachable) for (const imported of files.get(path) ?? []) reachable.add(imported)
    return reachable
  }
  const reachableFrom = new Map([...files.keys()].map((path) => [path, listReachable(path)]))
  const seen = new Set<string>()
  return [...files.keys()].flatMap((path) => {
    if (seen.has(path) || !reachableFrom.get(path)?.has(path)) return []
    const cycle = [...files.keys()].filter(
      (other) => reachableFrom.get(path)?.has(other) && reachableFrom.get(other)?.has(path),
    )
    for (const file of cycle) seen.add(file)
    return [cycle]
  })
}

it('cycles of imports do not exist', () => {
  expect(findCycles(new Map(code.map(({ path, imports }) => [path, imports])))).toEqual([])
})

it('cycles of imports would be found', () => {
  const files = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [], e: ['e'] }
  expect(findCycles(new Map(Object.entries(files)))).toEqual([['b', 'c'], ['e']])
})

it('the folders of ALLOWED_IMPORTS contain every file of the Worker except the entry, the composition and the environment', () => {
  const others = worker.filter(({ path }) => path.startsWith('src/') && !findFolder(path) && !isComposition(path))
  expect(others.map(({ path }) => path)).toEqual(['src/env.ts'])
})

it('fetch capabilities are created only where callers are authorized, and for settings', () => {
  const makes = /\bnew FetchCapability\b|\bextends FetchCapability\b|\bas (?:unknown as )?FetchCapability\b/
  expect(worker.filter(({ text }) => makes.test(text)).map(({ path }) => path)).toEqual([
    'src/compose/events.ts',
    'src/compose/providers.ts',
    'src/compose/schedule.ts',
    'src/http/caller/sessions.ts',
    'src/http/route/router.ts',
    'src/storage/connect/connect-store.ts',
  ])
})

it('the types of responses are only types, so that importing them loads nothing', () => {
  const { text = '' } = sources.find(({ path }) => path === 'src/api/answers.ts') ?? {}
  expect(text).toMatch(/^import type /m)
  expect(text).not.toMatch(/^import (?!type )|^export (?!type |interface )/m)
})

const isChecked = inFolders(
  ...['core', 'http', 'importers', 'console', 'runners', 'dialects', 'api'].map((folder) => `src/${folder}`),
)
const parses = /\bJSON\.parse\(|(?<!function )\bparseTrusted\(|\.json\(\)|\bnew URLSearchParams\((?![[{)A-Z])/
/** Files that parse text without a budget, and the text that they parse. */
const TRUSTED_TEXTS: Readonly<Record<string, string>> = {
  'src/core/tool/json-text.ts': 'the one reader of JSON, after counting it',
  'src/core/tool/json.ts': 'texts too short to exceed any limit',
  'src/http/request/body.ts': 'fields of a form, after counting them',
  'src/http/request/query.ts': 'parameters, of which `normalize-request.ts` allows few',
  'src/runners/sandbox/egress.ts': 'one parameter of an outgoing request',
  'src/runners/wasm/guest/http.ts': 'within a sandbox',
  'src/runners/remote/mcp/normalize-messages.ts':
    'messages that are counted as they arrive, before the SDK parses them',
  'src/api/skills/routes.ts': 'what the Registry stored, after its size was checked',
  'src/core/skill/skill.ts': 'what the Registry stored, after its size was checked',
  'src/dialects/mcp/extensions/skills/methods.ts': 'what the Registry stored, after its size was checked',
  'src/api/tools/neighbors.ts': 'lines that the catalog wrote',
  'src/core/call/tool-candidates.ts': 'lines that the catalog wrote',
  'src/core/catalog/choices.ts': 'lines that the catalog wrote',
  'src/dialects/mcp/search-mode.ts': 'lines that the catalog wrote',
  'src/dialects/oxp/routes.ts': 'lines that the catalog wrote',
  'src/console/reply.ts': 'what a route of ours answered',
  'src/console/tool/snippets.tsx': 'the text of an example',
  'src/dialects/mcp/revisions/2026-07-28/request-state.ts': 'a state that was sealed here',
  'src/importers/openapi/standalone-schema.ts': 'a schema that was made here, of a bounded size',
}
/** Each creates a budget for a request. */
const BUDGET_FILES = [
  'src/api/toolkits/import/routes.ts',
  'src/api/tools/appearance/routes.ts',
  'src/compose/event-sources.ts',
  'src/compose/tasks.ts',
  'src/core/publish/findings/compare-source.ts',
  'src/dialects/mcp/routes.ts',
  'src/http/route/incoming-call.ts',
]

it('received text is parsed in one file, which measures it first', () => {
  const found = worker.filter(({ path, text }) => isChecked(path) && parses.test(text)).map(({ path }) => path)
  expect(found.toSorted()).toEqual(Object.keys(TRUSTED_TEXTS).toSorted())
  const { text = '' } = sources.find(({ path }) => path === 'src/core/tool/json-text.ts') ?? {}
  expect(text).toContain('export function parseJson(text: string, limits?: JsonLimits)')
})

it('a request whose work multiplies has one budget', () => {
  const found = worker
    .filter(({ text }) => /\bcreateBudget\((?:CALL|SOURCE)_UNITS\)/.test(text))
    .map(({ path }) => path)
  expect(found.toSorted()).toEqual(BUDGET_FILES)
})

it.each(['JSON.parse(text)', 'await response.json()', 'new URLSearchParams(text)'])(
  'received text that is parsed elsewhere would be found: %s',
  (line) => {
    expect(parses.test(line)).toBe(true)
  },
)

/** Finds getters in object literals: the nearest less indented line above a getter starts its class or object literal. */
function findLiteralGetters(text: string): string[] {
  return [...text.matchAll(/^( +)get \w+\(/gm)].flatMap(({ 0: getter, 1: indentation = '', index }) => {
    const lines = text.slice(0, index).split('\n')
    const head = lines.findLastIndex((line) => /\S/.test(line) && !line.startsWith(indentation))
    const isOfClass = /\bclass\b/.test(lines[head] ?? '') || lines[head]?.trim() === '{'
    return isOfClass ? [] : [getter.trim()]
  })
}

it('a getter belongs to a class, since V8 makes a hidden class for each object literal with one', () => {
  expect(code.flatMap(({ path, text }) => findLiteralGetters(text).map((getter) => `${path}: ${getter}`))).toEqual([])
  expect(findLiteralGetters('const a = {\n  b: 1,\n  get c() {\n    return 2\n  },\n}')).toEqual(['get c('])
})

it('the list of sources has every file that another one imports', () => {
  const paths = code.map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(90)
  expect(paths).toEqual(expect.arrayContaining(['src/index.ts', 'src/core/access/principal.ts']))
  const app = code.find(({ path }) => path === 'src/app.ts')
  expect(app?.imports).toEqual(expect.arrayContaining(['hono', 'src/compose/tool-routes.ts', 'src/docs/routes.ts']))
  for (const { path, imports } of code) {
    const ours = imports.filter((imported) => imported.startsWith('src/') && !imported.startsWith('src/generated/'))
    // Built when a sandbox is loaded, or not TypeScript
    const isOther = /\/guest\/(?:tool\.js|plugin\.wasm|async-local-storage\.js)$|\/(?:thesaurus|words)\.json$/
    for (const imported of ours.filter((path) => !isOther.test(path))) {
      expect(paths, `${path} imports it`).toContain(imported)
    }
  }
})

describe.each(RULES)('$name', ({ name, files, forbids, violation: [path, line] }) => {
  it(`${name} is kept`, () => {
    const governed = code.filter((source) => files(source.path))
    expect(governed.length).toBeGreaterThan(0)
    const violations = governed.flatMap((source) =>
      source.imports
        .filter((imported) => forbids(imported, source.path))
        .map((imported) => `${source.path} → ${imported}`),
    )
    expect(violations).toEqual([])
  })

  it(`${name} finds a violation`, () => {
    expect(files(path)).toBe(true)
    expect(listImports(path, line).some((imported) => forbids(imported, path))).toBe(true)
  })
})

/** The platform passes a Durable Object its bindings in the constructor. */
const mayRead = ({ path, text }: Source) => isEnv(path) || isComposition(path) || /extends DurableObject\b/.test(text)
/** Its snippets to copy read the reader's environment. */
const hasSnippets = ({ path }: Source) => path === 'src/console/tool/snippets.tsx'
const reads = (source: Source) => !hasSnippets(source) && readsEnv(source)
const readsEnv = ({ text }: Source) =>
  /\benv\b(?!\.ts)[.[,)]|\bprocess\.env\b|\{[^}]*\benv\b[^}]*\} from 'cloudflare/.test(text)

it('the environment is read only by the entry, the composition, env.ts and Durable Objects', () => {
  expect(worker.filter(mayRead).filter(reads).length).toBeGreaterThanOrEqual(3)
  expect(worker.filter((source) => !mayRead(source) && reads(source)).map(({ path }) => path)).toEqual([])
})

it('the environment is read by variable name only in env.ts', () => {
  const readers = worker.filter(({ text }) =>
    /['"](?:ADMIN_KEY|TOOL_SECRETS|JWT_SECRET|ALLOW_HTTP_HOSTS)['"]/.test(text),
  )
  expect(readers.map(({ path }) => path)).toEqual(['src/env.ts'])
})

const keys = sources.find(({ path }) => path === 'src/storage/keys.ts')?.text ?? ''
/** The part of each key before the first `/`. */
const prefixes = new Set(Array.from(keys.matchAll(/'(\w+)\/[\w/]*'/g), ([, prefix]) => prefix))
const spells = (text: string) => new RegExp(`['"\`](?:${[...prefixes].join('|')})/`).test(text)

it('the keys of KV are built in one file', () => {
  expect(prefixes.size).toBeGreaterThanOrEqual(7)
  expect(worker.filter(({ text }) => spells(text)).map(({ path }) => path)).toEqual(['src/storage/keys.ts'])
})

it.each(['await kv.get(`tool/${key}`)', "queue(sql, 'catalogue/manifest')", 'WHERE target LIKE "record/%"'])(
  'a key of KV that is built elsewhere would be found: %s',
  (line) => expect(spells(line)).toBe(true),
)

describe('the guides', () => {
  /** Finds texts in backticks that look like paths: they end in a slash or in `.ts`. */
  const listPaths = (text: string) =>
    [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\.ts|\/))`/g)].flatMap(([, path]) => (path ? [path] : []))
  const guides = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('src', path))
  const places = (guide: string) => [
    '',
    'src',
    dirname(guide),
    'src/dialects/oxp',
    'src/dialects/mcp',
    'src/api/tools',
    'src/node',
    'src/http',
  ]
  /** The tool that a guide tells readers to write. */
  const isExample = (path: string) => /^tools\/Shop\/Order(?:\.test)?\.ts$/.test(path)
  const missing = (guide: string, text: string) =>
    listPaths(text).filter(
      (path) => !isExample(path) && !places(guide).some((place) => existsSync(join(root, place, path))),
    )

  it('the guides name files that exist', () => {
    expect(guides.length).toBeGreaterThan(5)
    const all = guides.map((guide) => [guide, missing(guide, readFileSync(join(root, guide), 'utf8'))])
    expect(all.filter(([, paths]) => paths?.length !== 0)).toEqual([])
  })

  it('the guides list every resource of the API', () => {
    const text = readFileSync(join(root, 'src/api/README.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `([\w/]+)` +\|/gm)].map(([, folder]) => folder)
    const folders = worker.flatMap(({ path }) => /^src\/api\/(.+)\/routes\.ts$/.exec(path)?.[1] ?? [])
    expect(rows.toSorted()).toEqual(folders.toSorted())
  })

  it('the guides with a missing file would be found', () => {
    expect(missing('src/README.md', 'See `core/tool/tool.ts`, `core/nowhere.ts` and `nowhere/`')).toEqual([
      'core/nowhere.ts',
      'nowhere/',
    ])
  })
})

describe('the table of faults', () => {
  const table = readFileSync(join(root, 'test/README.md'), 'utf8')
  const testsIn = (text: string) =>
    [...text.matchAll(/^\|.*\|([^|]*)\|$/gm)].flatMap(([, last = '']) =>
      [...last.matchAll(/`([\w./-]+\.test\.ts)`/g)].flatMap(([, path]) => (path ? [path] : [])),
    )
  const missing = (text: string) => testsIn(text).filter((path) => !existsSync(join(root, 'test', path)))

  it('the table of faults names tests that exist', () => {
    expect(testsIn(table).length).toBeGreaterThan(25)
    expect(missing(table)).toEqual([])
  })

  it('the table of faults with a missing test would be found', () => {
    expect(missing('| a fault | an answer | `e2e/kill.test.ts`, `e2e/nowhere.test.ts` |')).toEqual([
      'e2e/nowhere.test.ts',
    ])
  })
})

it('tracked files contain no path of the machine they were written on', () => {
  const tracked = execFileSync('git', ['ls-files', '--', 'src', 'tools'], { cwd: root, encoding: 'utf8' })
  const paths = tracked.split('\n').filter((path) => path !== '')
  expect(paths.length).toBeGreaterThan(90)
  const places = [root.replace(/\/$/, ''), '/home/', '/Users/', '/work/', '/root/', 'C:\\\\', '/workspace']
  const found = paths.filter((path) => {
    try {
      const text = readFileSync(join(root, path), 'utf8')
      return places.some((place) => text.includes(place))
    } catch {
      // Deleted, but still in the index
      return false
    }
  })
  expect(found).toEqual([])
})

/** esbuild's description of a bundle: its files, and each module with its files and imports. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Output>>
}

interface Output {
  readonly bytes: number
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

/** Finds the modules that are evaluated when the Worker starts, so none that `import()` loads. */
function listStartModules({ outputs }: Metafile): Output[] {
  const found = new Set(Object.keys(outputs).filter((path) => path.endsWith('/index.mjs')))
  for (const path of found) {
    for (const imported of outputs[path]?.imports ?? []) {
      if (imported.kind !== 'dynamic-import' && imported.path in outputs) found.add(imported.path)
    }
  }
  return [...found].flatMap((path) => outputs[path] ?? [])
}

describe('the bundle that is deployed', () => {
  let built: Awaited<ReturnType<typeof buildBundle>>
  let text: string
  let inputs: readonly string[]
  let meta: Metafile
  beforeAll(async () => {
    built = await buildBundle()
    text = (await modulesIn(built.folder, 'index.mjs')).map(({ contents }) => contents).join('')
    meta = JSON.parse(readFileSync(join(built.folder, 'bundle-meta.json'), 'utf8'))
    inputs = Object.keys(meta.inputs)
  }, 60_000)
  afterAll(() => built?.remove())

  it('the bundle that is deployed contains the entry, Hono and the tools', () => {
    expect(inputs).toContain('src/index.ts')
    expect(inputs.some((path) => path.startsWith('node_modules/hono/'))).toBe(true)
    expect(text).toContain('Reports that it began, then waits until its caller goes away')
  })

  it('the bundle that is deployed contains no Ajv, no MCP server SDK, no test and no build tool', () => {
    const foreign =
      /node_modules\/(?:ajv|ajv-formats|@modelcontextprotocol\/(?!client\/|core\/)|esbuild|miniflare|wrangler|vitest)\/|ajvProvider|src\/node\/|\.test\.ts$/
    expect(inputs.filter((path) => foreign.test(path))).toEqual([])
    expect(text).not.toMatch(/\bnew Ajv|Ajv2020|standaloneCode/)
  })

  it('the bundle that is deployed creates no code at run time, which Workers reject', () => {
    expect(text).not.toMatch(
      /\bnew Function\s*\(|[^.\w]Function\s*\(\s*['"`]|[^.\w]eval\s*\((?![\w,\s]*\)\s*\{)|\(0,\s*eval\)/,
    )
  })

  it('the bundle that is deployed starts without what only some requests need', () => {
    const loadedLater =
      /node_modules\/(?:@cloudflare\/workers-oauth-provider|@modelcontextprotocol|zod|eventsource-parser|oauth4webapi|re2js|js-yaml|jsonc-parser)\/|src\/generated\/inside\.ts|src\/core\/call\/jmespath|src\/docs\/(?!routes)|src\/console\/(?!routes|pages\.ts)|node_modules\/hono\/.*jsx|src\/generated\/console\.ts|src\/api\/servers\/wire|src\/http\/page\/(?:document|style)|src\/(?:sign-in|connect|api\/authorizations)\/pages/
    expect(inputs.filter((path) => path.includes('@modelcontextprotocol/client')).length).toBeGreaterThan(0)
    const started = listStartModules(meta).flatMap((module) => Object.keys(module.inputs))
    expect(started).toContain('src/dispatcher.ts')
    expect(started.filter((path) => loadedLater.test(path))).toEqual([])
  })

  it('the bundle that is deployed has less than 760 kB compressed, and starts with less than 420 kB uncompressed, without tools', () => {
    const size = gzipSync(text).length
    const parts = listStartModules(meta).flatMap((module) => Object.entries(module.inputs))
    const sum = parts
      .filter(([path]) => !path.startsWith('test/fixtures/'))
      .reduce((all, [, { bytesInOutput }]) => all + bytesInOutput, 0)
    console.log(
      `The Worker's bundle is ${(size / 1000).toFixed(1)} kB, compressed; it starts with ${(sum / 1000).toFixed(1)} of ${(text.length / 1000).toFixed(1)} kB`,
    )
    expect(size).toBeLessThan(760_000)
    expect(sum).toBeGreaterThan(100_000)
    expect(sum).toBeLessThan(420_000)
  })
})
