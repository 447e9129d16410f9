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
  /** From the root, with `/`. */
  readonly path: string
  readonly text: string
  /** Files from the root, or names of packages, of every import and export that names one, types too. */
  readonly imports: readonly string[]
}

/** Every file of the source. `src/generated` is made from it. */
function read(folder: string): Source[] {
  return (
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      // What a browser gets is sent as text, and is no part of the Worker
      .filter((path) => !/^src\/(?:generated|console\/browser)\//.test(path))
      .map((path) => {
        const text = readFileSync(join(root, path), 'utf8')
        return { path, text, imports: importsOf(path, text) }
      })
  )
}

/** What stands behind `from`, or an `import` that binds nothing or is called. The formatter begins a line with each. */
function importsOf(path: string, text: string): string[] {
  const statement = /^(?:import|export|\})[^'"`\n]*\bfrom\s*['"]([^'"\n]+)['"]|^import\s*['"]([^'"\n]+)['"]/gm
  const called = /\bimport\s*\(\s*['"`]([^'"`\n]+)['"`]/g
  return [...text.matchAll(statement), ...text.matchAll(called)].map(([, one, other]) => {
    const specifier = one ?? other ?? ''
    return specifier.startsWith('.') ? join(dirname(path), specifier) : specifier
  })
}

const sources = [...read('src'), ...read('tools')]
/** Tests beside the tools, like all tests, import what they test. */
const code = sources.filter(({ path }) => !path.endsWith('.test.ts'))
/** What runs in the Worker; `src/node` builds and serves it, `src/cli` and `src/client` ask it from elsewhere. */
const worker = code
  .filter(({ path }) => !/^src\/(?:node|cli|client)\//.test(path))
  // A Worker of its own, in another process
  .filter(({ path }) => path !== 'src/runners/sandbox/process-host.ts')

const within =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`))
const named =
  (...names: string[]) =>
  (name: string) =>
    names.some((each) => name === each || name.startsWith(`${each}/`) || name.startsWith(`${each}:`))
const either =
  (...tests: ((path: string) => boolean)[]) =>
  (path: string) =>
    tests.some((test) => test(path))
const isEnv = (path: string) => path === 'src/env.ts'

/** The rooms, and for each the rooms it may know beside itself. `core` stands for all of core's. */
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
]
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'core/tool': [],
  'core/schema': ['core/tool'],
  'core/access': ['core/tool'],
  'core/catalog': ['core/tool', 'core/access'],
  'core/consent': ['core/tool'],
  'core/failure': ['core/tool', 'core/schema', 'core/access', 'core/consent'],
  'core/cache': ['core/tool', 'core/failure'],
  'core/search': ['core/tool'],
  'core/publish': ['core/tool', 'core/schema', 'core/access'],
  'core/call': [
    'core/tool',
    'core/schema',
    'core/access',
    'core/cache',
    'core/catalog',
    'core/consent',
    'core/failure',
  ],
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
  'api/keys': [...CORE, 'http'],
  // Its page stands among the guides
  'api/openapi': [...CORE, 'http', 'docs'],
  'api/policies': [...CORE, 'http'],
  'api/providers': [...CORE, 'http'],
  'api/servers': [...CORE, 'http'],
  'api/sessions': [...CORE, 'http'],
  'api/toolkits': [...CORE, 'http'],
  'api/tools': [...CORE, 'http'],
  'api/users': [...CORE, 'http'],
  // What stands beside the resources knows those
  'api': [...CORE, 'http', 'docs'],
  'runners': [...CORE, 'outbound'],
  'importers': [...CORE, 'outbound'],
  'oauth-client': [...CORE, 'outbound'],
  'storage': [...CORE, 'oauth-client', 'outbound'],
  'sign-in': [...CORE, 'http', 'oauth-client', 'outbound', 'storage'],
  // Of what is generated, the agent hosts that the guide names
  'docs': [...CORE, 'http', 'generated'],
  'connect': [...CORE, 'http', 'outbound', 'storage'],
  // It asks the routes of the deployment for what it shows, and knows them by the types of their answers; guides say how hosts are
  // configured; of what is generated, its own style and script
  'console': [...CORE, 'http', 'docs', 'api', 'generated'],
  // Others install it: it knows a deployment by its address alone
  'client': [],
  // It runs on Node, and asks a deployment as anybody does; it writes schemas as types
  'cli': ['client', 'docs', 'core/tool', 'core/schema', 'formats'],
  // Bodies that come in and those that go out are read to a limit by one function
  'http': [...CORE, 'outbound'],
  'outbound': CORE,
}
/** The room a file lies in; undefined for the composition, and for what runs on Node. */
const roomOf = (path: string) => Object.keys(ROOMS).find((room) => path.startsWith(`src/${room}/`))

/** Of what comes in, what is pure: the table of statuses, and what a query may say. */
const PURE_OF_HTTP: ReadonlySet<string> = new Set(['src/http/response/failure-status.ts', 'src/http/request/query.ts'])

interface Rule {
  readonly name: string
  readonly files: (path: string) => boolean
  readonly refuses: (imported: string, path: string) => boolean
  /** A line that breaks the rule, and where. */
  readonly breach: readonly [path: string, line: string]
}

/** The entry, and what it composes a deployment of. */
const isComposition = either(within('src/compose'), (path) => /^src\/(?:index|dispatcher|app)\.ts$/.test(path))

/** May a schema be published, what changed between two, does a value fit, in which words, and what is it without references. */
const SCHEMA_DOORS: ReadonlySet<string> = new Set(
  ['publishable', 'compatibility', 'validator', 'validation-messages', 'expand', 'keywords', 'subschemas'].map(
    (each) => `src/core/schema/${each}.ts`,
  ),
)

/** The rooms of storage, and for each the others that it may know; all know what lies beside the rooms. */
const STORAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  access: [],
  artifacts: ['sealing'],
  connect: ['sealing'],
  idempotency: ['sealing'],
  records: ['sealing'],
  registry: ['sealing'],
  sealing: [],
  vault: ['sealing'],
}

const RULES: readonly Rule[] = [
  ...Object.entries(STORAGE_ROOMS).map(([room, known]) => ({
    name: `storage/${room} knows no other room of storage${known.length === 0 ? '' : ` but ${known.join(', ')}`}`,
    files: within(`src/storage/${room}`),
    refuses: within(
      ...Object.keys(STORAGE_ROOMS)
        .filter((each) => each !== room && !known.includes(each))
        .map((each) => `src/storage/${each}`),
    ),
    breach: [
      `src/storage/${room}/x.ts`,
      `import { createTables } from '../${room === 'access' ? 'registry' : 'access'}/tables.ts'`,
    ] as const,
  })),
  {
    name: 'what lies beside the rooms of storage knows none of them',
    files: (path) => /^src\/storage\/[^/]+$/.test(path),
    refuses: within(...Object.keys(STORAGE_ROOMS).map((room) => `src/storage/${room}`)),
    breach: ['src/storage/kv-outbox.ts', "import { createTables } from './registry/tables.ts'"],
  },
  ...Object.entries(ROOMS).map(([room, known]) => ({
    name: `${room} knows ${known.length === 0 ? 'nothing but itself' : known.join(', ')}`,
    files: within(`src/${room}`),
    refuses: (imported: string) =>
      imported.startsWith('src/') && !within(`src/${room}`, ...known.map((each) => `src/${each}`))(imported),
    breach: [`src/${room}/x.ts`, `import { createApp } from '${'../'.repeat(room.split('/').length)}app.ts'`] as const,
  })),
  {
    name: 'core knows no HTTP and no platform',
    files: within('src/core'),
    refuses: named('hono', 'cloudflare', '@cloudflare', 'node', 'wrangler', 'miniflare'),
    breach: ['src/core/schema/x.ts', "import { Hono } from 'hono'"],
  },
  {
    name: 'only routes know Hono, with what composes them, what tells them apart and what answers in their place',
    files: (path) =>
      !/^src\/(?:dialects|api|sign-in|docs|connect|console)\/(?:.*\/)?routes\.ts$/.test(path) &&
      !['operation', 'page-router', 'router', 'public-router', 'not-found'].some(
        (each) => path === `src/http/route/${each}.ts`,
      ) &&
      path !== 'src/http/response/error-handler.ts' &&
      !/^src\/(?:index|dispatcher|app)\.ts$/.test(path),
    // JSX writes HTML, and knows nothing of requests
    refuses: (imported, path) =>
      named('hono')(imported) &&
      !(path.endsWith('.tsx') && named('hono/jsx', 'hono/html')(imported)) &&
      imported !== 'hono/jsx/jsx-runtime',
    breach: ['src/dialects/oxp/wire.ts', "import { html } from 'hono/html'"],
  },
  {
    name: 'wire, definitions and failure tables are pure',
    files: (path) => within('src/dialects', 'src/api')(path) && /\/(?:wire|definition|failure)\.ts$/.test(path),
    refuses: either(named('hono', 'cloudflare'), (path) => within('src/http')(path) && !PURE_OF_HTTP.has(path)),
    breach: ['src/dialects/oxp/wire.ts', "import { jsonText } from '../../http/json-response.ts'"],
  },
  {
    name: 'the console knows of our resources the types of what their routes answer, and nothing that runs',
    files: within('src/console'),
    refuses: (imported) => within('src/api')(imported) && imported !== 'src/api/answers.ts',
    breach: ['src/console/keys/page.tsx', "import { encodeListed } from '../../api/keys/routes.ts'"],
  },
  {
    name: 'tools know the tool-authoring door, and nothing else',
    files: within('tools'),
    refuses: (imported) => imported !== '#tool',
    breach: ['tools/SMS/Send.ts', "const { loadConfig } = await import('../../src/env.ts')"],
  },
  {
    name: 'the OpenAPI importer is pure: it knows core, what importers share, and a reader of YAML',
    files: within('src/importers/openapi', 'src/importers/shared'),
    refuses: (imported) =>
      imported !== 'js-yaml' && !within('src/importers/openapi', 'src/importers/shared', 'src/core')(imported),
    breach: ['src/importers/openapi/x.ts', "import type { GuardedFetch } from '../../outbound/guarded-fetch.ts'"],
  },
  {
    name: 'what runs inside a sandbox knows its neighbors there alone',
    files: (path) => /^src\/runners\/\w+\/guest\//.test(path),
    refuses: (imported, path) => !named('cloudflare')(imported) && dirname(imported) !== dirname(path),
    breach: ['src/runners/code/guest/main.ts', "import { REFUSED_HEADER } from '../../sandbox/policy.ts'"],
  },
  {
    name: 'schemas are asked five things, and for the table of keywords and the walk through them',
    files: (path) => !within('src/core/schema')(path),
    refuses: (imported) => within('src/core/schema')(imported) && !SCHEMA_DOORS.has(imported),
    breach: ['src/formats/x.ts', "import { linearPattern } from '../core/schema/pattern.ts'"],
  },
  {
    name: 'who sends, what is sent, answers and pages know nothing of routes',
    files: within('src/http/caller', 'src/http/request', 'src/http/response', 'src/http/page'),
    refuses: within('src/http/route'),
    breach: ['src/http/caller/x.ts', "import { createRoute } from '../route/route.ts'"],
  },
  {
    name: 'nothing of the Worker knows those who ask it from elsewhere',
    files: (path) => !within('src/cli', 'src/client')(path),
    refuses: within('src/cli', 'src/client'),
    breach: ['src/compose/x.ts', "import { Switchboard } from '../client/index.ts'"],
  },
  {
    name: 'nothing knows the entry',
    files: () => true,
    refuses: (imported, path) =>
      imported === 'src/index.ts' ||
      (imported === 'src/dispatcher.ts' && path !== 'src/index.ts') ||
      (imported === 'src/app.ts' && path !== 'src/dispatcher.ts'),
    breach: ['src/env.ts', "import { createApp } from './app.ts'"],
  },
  {
    name: 'the composition and the environment are for the entry, the composition, and the server that reads their settings',
    files: (path) => !isComposition(path) && !/^src\/node\/(?:serve|network)\.ts$/.test(path),
    refuses: either(isEnv, within('src/compose')),
    breach: ['src/storage/x.ts', "import { loadConfig } from '../env.ts'"],
  },
]

/** Every circle of imports, as the files on it; each file is on one at most. */
function circles(files: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = (from: string) => {
    const found = new Set(files.get(from))
    for (const path of found) for (const imported of files.get(path) ?? []) found.add(imported)
    return found
  }
  const from = new Map([...files.keys()].map((path) => [path, reached(path)]))
  const seen = new Set<string>()
  return [...files.keys()].flatMap((path) => {
    if (seen.has(path) || !from.get(path)?.has(path)) return []
    const circle = [...files.keys()].filter((each) => from.get(path)?.has(each) && from.get(each)?.has(path))
    for (const each of circle) seen.add(each)
    return [circle]
  })
}

describe('circles of imports', () => {
  it('are none', () => {
    expect(circles(new Map(code.map(({ path, imports }) => [path, imports])))).toEqual([])
  })

  it('would be seen', () => {
    const files = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [], e: ['e'] }
    expect(circles(new Map(Object.entries(files)))).toEqual([['b', 'c'], ['e']])
  })
})

describe('rooms', () => {
  it('hold every file that is not the entry, the composition, or a program for Node', () => {
    const loose = worker.filter(({ path }) => path.startsWith('src/') && !roomOf(path) && !isComposition(path))
    expect(loose.map(({ path }) => path)).toEqual(['src/env.ts'])
  })
})

describe('what fetches for somebody', () => {
  it('is told by gates alone that they were let in', () => {
    const makes = /\bnew FetchCapability\b|\bextends FetchCapability\b|\bas (?:unknown as )?FetchCapability\b/
    expect(worker.filter(({ text }) => makes.test(text)).map(({ path }) => path)).toEqual([
      'src/compose/providers.ts',
      'src/http/caller/sessions.ts',
      'src/http/route/router.ts',
      'src/storage/connect/connect-store.ts',
    ])
  })
})

describe('the answers of our routes', () => {
  it('are types alone, so that who asks for them loads nothing', () => {
    const { text = '' } = sources.find(({ path }) => path === 'src/api/answers.ts') ?? {}
    expect(text).toMatch(/^import type /m)
    expect(text).not.toMatch(/^import (?!type )|^export (?!type |interface )/m)
  })
})

describe('what somebody sent', () => {
  const rooms = within(
    ...['core', 'http', 'importers', 'console', 'runners', 'dialects', 'api'].map((room) => `src/${room}`),
  )
  const parses = /\bJSON\.parse\(|(?<!function )\bparseTrusted\(|\.json\(\)|\bnew URLSearchParams\((?![[{)A-Z])/
  /** Where texts become values without a meter, and whose texts they are. */
  const OWN: Readonly<Record<string, string>> = {
    'src/core/tool/json-text.ts': 'the one reader of JSON, behind its count',
    'src/core/tool/json.ts': 'its way for texts too short for more than anything may have',
    'src/http/request/body.ts': 'fields of a form, behind their count',
    'src/http/request/query.ts': 'parameters, of which the entrance lets few through',
    'src/runners/sandbox/egress.ts': 'each parameter of a request that leaves, alone',
    'src/runners/wasm/guest/http.ts': 'within a sandbox',
    'src/runners/remote/mcp/normalize-messages.ts':
      'messages that are counted as they arrive, before the SDK parses them',
    'src/api/tools/neighbors.ts': 'lines that the catalog wrote',
    'src/core/call/tool-candidates.ts': 'lines that the catalog wrote',
    'src/core/catalog/choices.ts': 'lines that the catalog wrote',
    'src/dialects/mcp/search-mode.ts': 'lines that the catalog wrote',
    'src/dialects/oxp/routes.ts': 'lines that the catalog wrote',
    'src/console/reply.ts': 'what a route of ours answered',
    'src/console/tool/snippets.tsx': 'the text of an example',
    'src/dialects/mcp/revisions/2026-07-28/round-trip.ts': 'a state that was sealed here',
    'src/importers/openapi/standalone-schema.ts': 'a schema that was made here, of a bounded size',
  }
  /** Each makes one for a request. */
  const EDGES = [
    'src/api/archive/export-and-restore.ts',
    'src/connect/routes.ts',
    'src/console/show-page.ts',
    'src/core/tool/budget.ts',
    'src/dialects/mcp/routes.ts',
    'src/http/route/incoming-call.ts',
    'src/http/route/page-router.ts',
    'src/http/route/router.ts',
  ]

  it('is parsed in one place, which counts it first', () => {
    const found = worker.filter(({ path, text }) => rooms(path) && parses.test(text)).map(({ path }) => path)
    expect(found.toSorted()).toEqual(Object.keys(OWN).toSorted())
    const { text = '' } = sources.find(({ path }) => path === 'src/core/tool/json-text.ts') ?? {}
    expect(text).toContain('export function parseJson(text: string, budget: Budget,')
  })

  it('is counted by one meter a request, which is made where it comes in', () => {
    const found = worker.filter(({ text }) => /\bcreateRequestBudget\(/.test(text)).map(({ path }) => path)
    expect(found.toSorted()).toEqual(EDGES)
  })

  it.each(['JSON.parse(text)', 'await response.json()', 'new URLSearchParams(text)'])('would be seen: %s', (line) => {
    expect(parses.test(line)).toBe(true)
  })
})

describe('the walk', () => {
  it('finds the source, and reads its imports', () => {
    const paths = code.map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(90)
    expect(paths).toEqual(expect.arrayContaining(['src/index.ts', 'src/core/access/principal.ts']))
    const app = code.find(({ path }) => path === 'src/app.ts')
    expect(app?.imports).toEqual(expect.arrayContaining(['hono', 'src/compose/tool-routes.ts', 'src/docs/routes.ts']))
    for (const { path, imports } of code) {
      const own = imports.filter((each) => each.startsWith('src/') && !each.startsWith('src/generated/'))
      // These come to be when a sandbox is loaded, or are not TypeScript
      const inside = /\/guest\/(?:tool\.js|plugin\.wasm|async-local-storage\.js)$|\/(?:thesaurus|words)\.json$/
      for (const imported of own.filter((each) => !inside.test(each))) {
        expect(paths, `${path} imports it`).toContain(imported)
      }
    }
  })
})

describe.each(RULES)('$name', ({ files, refuses, breach: [path, line] }) => {
  it('holds', () => {
    const held = code.filter((source) => files(source.path))
    expect(held.length).toBeGreaterThan(0)
    const broken = held.flatMap((source) =>
      source.imports.filter((imported) => refuses(imported, source.path)).map((each) => `${source.path} → ${each}`),
    )
    expect(broken).toEqual([])
  })

  it('would be seen to be broken', () => {
    expect(files(path)).toBe(true)
    expect(importsOf(path, line).some((imported) => refuses(imported, path))).toBe(true)
  })
})

describe('the environment', () => {
  /** A Durable Object is handed its bindings by the platform, in its constructor. */
  const mayRead = ({ path, text }: Source) => isEnv(path) || isComposition(path) || /extends DurableObject\b/.test(text)
  /** They have texts to copy, which read the environment of whoever copies them. */
  const isForOthers = ({ path }: Source) => path === 'src/console/tool/snippets.tsx'
  const reads = (source: Source) => !isForOthers(source) && readsEnv(source)
  const readsEnv = ({ text }: Source) =>
    /\benv\b(?!\.ts)[.[,)]|\bprocess\.env\b|\{[^}]*\benv\b[^}]*\} from 'cloudflare/.test(text)

  it('is read by the entry, the composition and the one reader, and by Durable Objects', () => {
    expect(worker.filter(mayRead).filter(reads).length).toBeGreaterThanOrEqual(3)
    expect(worker.filter((source) => !mayRead(source) && reads(source)).map(({ path }) => path)).toEqual([])
  })

  it('is read by name in one file', () => {
    const readers = worker.filter(({ text }) =>
      /['"](?:ADMIN_KEY|TOOL_SECRETS|JWT_SECRET|ALLOW_HTTP_HOSTS)['"]/.test(text),
    )
    expect(readers.map(({ path }) => path)).toEqual(['src/env.ts'])
  })
})

describe('the keys of KV', () => {
  const keys = sources.find(({ path }) => path === 'src/storage/keys.ts')?.text ?? ''
  /** How the keys begin, up to the first `/`. */
  const words = new Set(Array.from(keys.matchAll(/'(\w+)\/[\w/]*'/g), ([, word]) => word))
  const spells = (text: string) => new RegExp(`['"\`](?:${[...words].join('|')})/`).test(text)

  it('are made in one file', () => {
    expect(words.size).toBeGreaterThanOrEqual(7)
    expect(worker.filter(({ text }) => spells(text)).map(({ path }) => path)).toEqual(['src/storage/keys.ts'])
  })

  it.each(['await kv.get(`tool/${key}`)', "queue(sql, 'catalogue/manifest')", 'WHERE target LIKE "record/%"'])(
    'would be seen elsewhere: %s',
    (line) => expect(spells(line)).toBe(true),
  )
})

describe('the guides', () => {
  /** What stands between backticks and looks like a path of the source: with a slash, or with the ending of a file. */
  const named = (text: string) =>
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
  /** The tool that a guide has one write. */
  const isExample = (path: string) => /^tools\/Shop\/Order(?:\.test)?\.ts$/.test(path)
  const missing = (guide: string, text: string) =>
    named(text).filter(
      (path) => !isExample(path) && !places(guide).some((place) => existsSync(join(root, place, path))),
    )

  it('name files that exist', () => {
    expect(guides.length).toBeGreaterThan(5)
    const all = guides.map((guide) => [guide, missing(guide, readFileSync(join(root, guide), 'utf8'))])
    expect(all.filter(([, paths]) => paths?.length !== 0)).toEqual([])
  })

  it('list every resource of ours', () => {
    const text = readFileSync(join(root, 'src/api/README.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `([\w/]+)` +\|/gm)].map(([, folder]) => folder)
    const folders = worker.flatMap(({ path }) => /^src\/api\/(.+)\/routes\.ts$/.exec(path)?.[1] ?? [])
    expect(rows.toSorted()).toEqual(folders.toSorted())
  })

  it('would be seen to name one that does not', () => {
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

  it('names tests that exist', () => {
    expect(testsIn(table).length).toBeGreaterThan(25)
    expect(missing(table)).toEqual([])
  })

  it('would be seen to name one that does not', () => {
    expect(missing('| a fault | an answer | `e2e/kill.test.ts`, `e2e/nowhere.test.ts` |')).toEqual([
      'e2e/nowhere.test.ts',
    ])
  })
})

describe('what is tracked', () => {
  it('names no place of the machine it was written on', () => {
    const tracked = execFileSync('git', ['ls-files', '--', 'src', 'tools'], { cwd: root, encoding: 'utf8' })
    const paths = tracked.split('\n').filter((path) => path !== '')
    expect(paths.length).toBeGreaterThan(90)
    const places = [root.replace(/\/$/, ''), '/home/', '/Users/', '/work/', '/root/', 'C:\\\\', '/workspace']
    const named = paths.filter((path) => {
      try {
        const text = readFileSync(join(root, path), 'utf8')
        return places.some((place) => text.includes(place))
      } catch {
        // Removed, and not yet from the index
        return false
      }
    })
    expect(named).toEqual([])
  })
})

/** What esbuild says of a bundle: its files, and each module with the files in it and the modules that it imports. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Output>>
}

interface Output {
  readonly bytes: number
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

/** The modules that are evaluated when the Worker starts: those that no `import()` leads to first. */
function startedWith({ outputs }: Metafile): Output[] {
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

  it('holds what it should', () => {
    expect(inputs).toContain('src/index.ts')
    expect(inputs.some((path) => path.startsWith('node_modules/hono/'))).toBe(true)
    expect(text).toContain('Reports that it began, then waits until its caller goes away')
  })

  it('holds no Ajv, no MCP server SDK, no test and no build tool', () => {
    const foreign =
      /node_modules\/(?:ajv|ajv-formats|@modelcontextprotocol\/(?!client\/|core\/)|esbuild|miniflare|wrangler|vitest)\/|ajvProvider|src\/node\/|\.test\.ts$/
    expect(inputs.filter((path) => foreign.test(path))).toEqual([])
    expect(text).not.toMatch(/\bnew Ajv|Ajv2020|standaloneCode/)
  })

  it('makes no code at run time, which Workers refuse', () => {
    expect(text).not.toMatch(
      /\bnew Function\s*\(|[^.\w]Function\s*\(\s*['"`]|[^.\w]eval\s*\((?![\w,\s]*\)\s*\{)|\(0,\s*eval\)/,
    )
  })

  it('starts without what only some requests need', () => {
    const seldom =
      /node_modules\/(?:@cloudflare\/workers-oauth-provider|@modelcontextprotocol|zod|eventsource-parser|oauth4webapi|re2js|js-yaml|jsonc-parser)\/|src\/generated\/inside\.ts|src\/core\/call\/jmespath|src\/docs\/(?!routes)|src\/console\/(?!routes|pages\.ts)|node_modules\/hono\/.*jsx|src\/generated\/console\.ts|src\/api\/servers\/wire|src\/http\/page\/(?:document|style)|src\/(?:sign-in|connect|api\/authorizations)\/pages/
    expect(inputs.filter((path) => path.includes('@modelcontextprotocol/client')).length).toBeGreaterThan(0)
    const started = startedWith(meta).flatMap((module) => Object.keys(module.inputs))
    expect(started).toContain('src/dispatcher.ts')
    expect(started.filter((path) => seldom.test(path))).toEqual([])
  })

  it('is below 630 kB, compressed, of which it starts with 400 kB before compression, beside its tools', () => {
    const size = gzipSync(text).length
    const parts = startedWith(meta).flatMap((module) => Object.entries(module.inputs))
    const sum = parts
      .filter(([path]) => !path.startsWith('test/fixtures/'))
      .reduce((all, [, { bytesInOutput }]) => all + bytesInOutput, 0)
    console.log(
      `The Worker's bundle is ${(size / 1000).toFixed(1)} kB, compressed; it starts with ${(sum / 1000).toFixed(1)} of ${(text.length / 1000).toFixed(1)} kB`,
    )
    expect(size).toBeLessThan(630_000)
    expect(sum).toBeGreaterThan(100_000)
    expect(sum).toBeLessThan(400_000)
  })
})
