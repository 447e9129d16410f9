import { expect, it } from 'vitest'
import { setUp } from './set-up.ts'

const MAX_BYTES = 60_000
const many = <T>(count: number, each: (index: number) => T) => Array.from({ length: count }, (_, index) => each(index))
const limitOf = ({ url }: Request) => Number(new URL(url).searchParams.get('limit'))
const HOUR_MS = 3_600_000
const startOf = (step: number, index: number) => new Date((Math.floor(Date.now() / step) - index) * step).toISOString()
const LONG = 'Creates, reads and changes things of a large service with many words. '.repeat(4)

const routes = {
  'GET /setup': () => ({ items: [] }),
  'GET /toolkits': () => ({
    items: many(300, (index) => ({ toolkit: `Toolkit${index}`, tools: 10, security_level: 0, description: LONG })),
  }),
  'GET /tools': (request: Request) => {
    const tool = (index: number) => {
      const id = `Toolkit${index % 300}.A_rather_long_name_of_a_tool_${index}@1.0.0`
      return { id, name: id, title: 'A title', description: LONG, version: '1.0.0' }
    }
    return { items: many(limitOf(request), tool), total: 3_000, next_cursor: 'n' }
  },
  'GET /usage': (request: Request) => {
    const key = new URL(request.url).searchParams.get('by') ?? ''
    const step = key === 'hour' ? HOUR_MS : key === 'day' ? 24 * HOUR_MS : undefined
    const group = (index: number) => ({
      [key]: step ? startOf(step, index) : `Toolkit${index}.A_rather_long_name_of_a_tool_${index}`,
    })
    const items = many(3_000, (index) => {
      return { group: group(index), calls: 9, failures: 1, mean_ms: 5, p50_ms: 4, p95_ms: 9, p99_ms: 9 }
    })
    return { items, lost: 0 }
  },
  'GET /calls': (request: Request) => ({
    items: many(limitOf(request), (index) => ({
      at: new Date(Date.now() - index * 3_000).toISOString(),
      tool: `Toolkit${index}.A_rather_long_name_of_a_tool_${index}@1.0.0`,
      outcome: 'tool-failed',
      duration_ms: 7.6,
      dialect: 'open-tool-calling',
      principal: `person:ann${index}@acme.example.com`,
      user_id: `ann${index}@acme.example.com`,
      call_id: crypto.randomUUID(),
      digest: `sha256:${'a'.repeat(64)}`,
    })),
    // A chart is drawn only where one response has all calls
    ...(limitOf(request) === 1_000 ? {} : { next_cursor: 'n' }),
  }),
  'GET /audit': () => ({
    items: many(50, (index) => ({
      at: '2030-01-01T11:02:03.456Z',
      act: 'policy.put',
      outcome: 'success',
      principal: `person:ann${index}@acme.example.com`,
      method: 'PUT',
      path: `/policies/Toolkit${index}.*`,
      about: { security_level: 8, limits: { rate: { calls: 5, seconds: 60 } } },
    })),
    next_cursor: 'n',
  }),
  'GET /users/admin/agents': () => ({
    items: many(200, (index) => ({
      id: crypto.randomUUID(),
      client: { name: `Agent ${index}`, host: 'agent.example.com' },
      toolkits: many(10, (each) => `Toolkit${each}`),
      created_at: '2030-01-01T11:02:03Z',
      expires_at: '2030-01-31T11:02:03Z',
    })),
  }),
  'GET /sessions': () => ({
    items: many(200, (index) => ({
      id: crypto.randomUUID(),
      principal: `person:ann${index}@acme.example.com`,
      origin: 'https://switchboard.test',
      browser: 'Firefox on Linux',
      created_at: '2030-01-01T11:02:03Z',
      expires_at: '2030-01-31T11:02:03Z',
    })),
  }),
  'GET /findings': (request: Request) => ({
    items: many(Number(new URL(request.url).searchParams.get('limit')), (index) => ({
      toolkit: 'Toolkit1',
      tool: `tool${index}`,
      kind: 'changed',
      severity: 'breaking',
      since: '2030-01-01T11:02:03Z',
      seen: '2030-01-01T11:02:03Z',
      changes: many(10, (each) => ({
        path: `/input/properties/field${each}/description`,
        what: `The description of 'field${each}' differs`,
        level: 'patch',
        before: 'before '.repeat(215),
        after: 'after, '.repeat(215),
      })),
    })),
  }),
  'GET /policies': () => ({
    items: many(500, (index) => ({ pattern: `Toolkit${index}.*`, security_level: 4, approval: true, review: true })),
  }),
  'GET /toolsets': () => ({
    items: many(200, (index) => ({
      name: `a_rather_long_name_of_a_toolset_${index}`,
      title: LONG.slice(0, 200),
      enabled: true,
      pending: true,
      tool_count: 500,
      revision: 12,
    })),
  }),
  'GET /toolkits/Large/skills/large': () => ({
    version: 1,
    frontmatter: { name: 'large', description: LONG },
    resources: many(512, (index) => ({ path: `a/rather/long/path/of/a/file/${index}.md`, size: 2_000 })),
    files: { 'SKILL.md': LONG.repeat(300) },
  }),
  'GET /toolsets/large': () => ({
    name: 'large',
    enabled: true,
    instructions: LONG.repeat(30),
    tools: many(500, (index) => ({
      tool: `Toolkit${index}.A_rather_long_name_of_a_tool_${index}`,
      version: '^1.0.0',
      name: `Another_long_name_of_a_tool_${index}`,
      title: LONG.slice(0, 70),
      description: LONG.repeat(3),
      arguments: { limit: { value: 10 }, account: { hidden: true } },
    })),
    owner: 'key:1',
    revision: 12,
    digest: `sha256:${'a'.repeat(64)}`,
    changed_at: '2030-01-01T11:02:03Z',
    changed_by: 'key:1',
  }),
  'GET /keys': () => ({
    items: many(1_000, (index) => ({
      id: crypto.randomUUID(),
      name: `agent of somebody ${index}`,
      scopes: ['tools:read', 'tools:call'],
      tools: ['Gmail.*', 'GitHub.*'],
      users: [`ann${index}@acme.example.com`],
      created_at: '2030-01-01T00:00:00Z',
    })),
  }),
}

it.each([
  '/',
  '/?sort=calls',
  '/?view=tools',
  '/?toolkit=Toolkit1',
  '/?q=send',
  '/console/calls',
  '/console/calls?range=hour',
  '/console/calls?range=month',
  '/console/usage?by=tool',
  '/console/usage?by=principal',
  '/console/keys',
  '/console/connect',
  '/console/audit',
  '/console/agents',
  '/console/sign-ins',
  '/console/policies',
  '/console/toolsets',
  '/console/toolsets/large',
  '/console/skills/Large/large',
  '/console/versions?status=active',
  '/console/setup',
  '/console/findings',
])('%s has less than 60 kB with 3,000 tools of 300 toolkits', async (path) => {
  const text = await (await setUp(routes).get(path)).text()
  expect(text).toContain('</html>')
  expect(text.includes('class="chart"')).toBe(path.startsWith('/console/calls'))
  expect(new TextEncoder().encode(text).length).toBeLessThan(MAX_BYTES)
})
