import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../src/app.ts'
import { composeDeployment } from '../src/compose/deployment.ts'
import { type Env, loadConfig } from '../src/env.ts'
import { findOperation } from '../src/http/route/operation.ts'
import { build } from './fixtures/generated/build.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const variables = {
  ACCESS: 'keys',
  ADMIN_KEY,
  LOG_CALLS: 'none',
  WORKER_SECRET: 'the-secret-of-the-worker-of-this-test',
}
const bindings: Env = { ...env, ...variables }
const config = loadConfig(Object.assign({ ...bindings }, variables))
const app = await createApp(bindings, composeDeployment(bindings, config, build))

/** Without preflights, and without the endpoints that respond 405 to other methods. */
const routes = app.routes.filter(({ method }) => method !== 'ALL' && method !== 'OPTIONS')
const routeOperations = routes.map(({ method, path, handler }) => ({
  method,
  path: path.replace(/:\w+/g, 'None'),
  operation: findOperation(handler),
}))
const declared = routeOperations.flatMap(({ operation, ...route }) => (operation ? [{ ...route, operation }] : []))

beforeAll(() => void vi.spyOn(console, 'log').mockReturnValue())

async function send(method: string, path: string, sent: unknown = {}): Promise<{ status: number; text: string }> {
  const context = createExecutionContext()
  const headers = {
    'content-type': 'application/json',
    'origin': 'http://localhost',
    'authorization': `Bearer ${ADMIN_KEY}`,
  }
  const init = method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(sent) }
  const response = await app.fetch(
    new Request(`http://localhost${path}`, { method, headers, ...init }),
    bindings,
    context,
  )
  return { status: response.status, text: await response.text() }
}

it('every route declares its query parameters', () => {
  expect(routeOperations.length).toBeGreaterThan(60)
  expect(
    routeOperations.filter(({ operation }) => operation === undefined).map(({ method, path }) => `${method} ${path}`),
  ).toEqual([])
})

it('only the MCP endpoints accept every method, and they reject all but POST', () => {
  const paths = app.routes.filter(({ method }) => method === 'ALL').map(({ path }) => path)
  expect(new Set(paths)).toEqual(
    new Set(['/console/mcp', '/mcp', '/mcp/t/:toolset', '/connect/mcp', '/connect/mcp/t/:toolset']),
  )
})

/** `/connect/mcp` accepts no keys, and reads its query as `/mcp` does. At `/mcp/t/None`, the toolset is looked up first. */
const takesKeys = ({ path }: { readonly path: string }) => !/\/mcp\/t\/|^\/connect\/mcp$/.test(path)

describe.each(declared.filter((route) => route.operation.query.unknown !== 'ignore' && takesKeys(route)))(
  '$method $path',
  ({ method, path, operation: { query } }) => {
    it(`${method} ${path} rejects an unknown parameter`, async () => {
      const { status, text } = await send(method, `${path}?no_such_parameter=1`)
      expect(status).toBe(400)
      expect(text).toContain("Unknown parameter 'no_such_parameter'")
    })

    it(`${method} ${path} suggests the nearest parameter, and rejects a repeated one`, async () => {
      for (const name of query.names) {
        const { text } = await send(method, `${path}?${name}_=1`)
        expect(text).toContain(`(meant '${name}'?)`)
        if (query.listNames.has(name)) continue
        const twice = await send(method, `${path}?${name}=1&${name}=1`)
        expect(twice.status).toBe(400)
        expect(twice.text).toContain('Must be said once, got 2 times')
      }
    })
  },
)

describe.each(declared.filter(({ operation }) => operation.query.unknown === 'ignore'))(
  '$method $path',
  ({ method, path }) => {
    it(`${method} ${path} ignores an unknown parameter`, async () => {
      const without = await send(method, path)
      expect((await send(method, `${path}?utm_source=a&utm_source=b`)).status).toBe(without.status)
    })
  },
)

const FIELD = { no_such_field: 1 }
const DESCRIPTION = { openapi: '3.1.0', info: { title: 'A', version: '1.0.0' }, paths: {} }
/** Bodies in which the field is in a place where unknown fields are refused, not ignored. */
const REFUSED: Readonly<Record<string, unknown>> = {
  'POST /tools/call': { tool_id: 'Calculator.Add', ...FIELD },
  'POST /oxp/tools/call': { request: { tool_id: 'Calculator.Add', ...FIELD } },
  'POST /tools': { definition: {}, ...FIELD },
  'POST /machine-context/tools': { definition: {}, ...FIELD },
  'PATCH /tools/Calculator.Add@1.0.0': { status: 'active', ...FIELD },
  'POST /toolkits/import': { from: { openapi: DESCRIPTION }, toolkit: 'Fresh', ...FIELD },
  'PUT /toolkits/Fresh': { owner: null, ...FIELD },
  'PATCH /toolkits/Calculator': { status: 'active', ...FIELD },
  'POST /readiness': { tools: ['Calculator.Add'], ...FIELD },
  'POST /keys': FIELD,
  'PATCH /keys/{key}': FIELD,
  'POST /keys/{key}/rotate': FIELD,
  'POST /users/None/connections': FIELD,
  'PUT /policies/Calculator.*': FIELD,
  'PUT /toolsets/named': { tools: [], ...FIELD },
  'PUT /locks': FIELD,
  'PUT /toolkits/Calculator/skills/none': { files: {}, ...FIELD },
  'PATCH /toolkits/Calculator/skills/none': FIELD,
  'PUT /providers/acme': FIELD,
  'PUT /subscriptions': FIELD,
  'PUT /event-sources/Acme.Daily': { kind: 'schedule', cron: '0 9 * * *', ...FIELD },
  'POST /clients': FIELD,
  'POST /authorizations/None/confirm': FIELD,
  'POST /machine-context/execute': { payload: { tool: FIELD } },
}
const PASSED_OVER: Readonly<Record<string, string>> = {
  'POST /convert': 'a publication can be converted as it is, with all that stands beside its definition',
  'POST /artifacts': 'the body is a file',
  'POST /import': 'the body is an archive, of a line a record',
  'PUT /toolkits/None/plugin': 'the body is a plugin',
  'POST /worker/tools/invoke': 'extensions are taken: "New parameters … can be added as additional properties"',
  'POST /toolsets/None/approve': 'no body is read: the change is in the deployment',
  'POST /toolsets/None/reject': 'no body is read: the change is in the deployment',
  ...Object.fromEntries(
    ['POST Users', 'PUT Users/None', 'PATCH Users/None', 'POST Groups', 'PUT Groups/None', 'PATCH Groups/None'].map(
      (route) => [route.replace(' ', ' /scim/v2/'), 'directories send attributes that are not stored'],
    ),
  ),
  'POST /plugin/call': 'its schema closes no object',
  'POST /plugin/describe': 'no body is read: a plugin is asked without one',
  'POST /subscriptions/None/dead-letters/None': 'no body is read: an event is named in the path',
  'POST /providers/None/test': 'no body is read: a provider is named in the path',
  'POST /users/None/connections/None/check': 'no body is read: a connection is named in the path',
  'POST /toolkits/None/compare': 'no body is read: a toolkit is named in the path',
  'POST /mcp': 'clients of later revisions say more',
  'POST /console/mcp': 'clients of later revisions say more',
  'POST /connect/mcp': 'clients of later revisions say more',
  'POST /mcp/t/None': 'clients of later revisions say more',
  'POST /connect/mcp/t/None': 'clients of later revisions say more',
}

it.each(Object.entries(REFUSED))('an unknown field in a body is rejected by its name: %s', async (route, body) => {
  const [method = '', path = ''] = route.split(' ')
  const { text: made } = await send('POST', '/keys', { name: 'a key', scopes: ['tools:read'] })
  const { id }: { id: string } = JSON.parse(made)
  const { status, text } = await send(method, path.replace('{key}', id), body)
  expect([400, 422], text).toContain(status)
  expect(text).toContain("Unknown field 'no_such_field'")
})

it('an unknown field in a body is tested on every route with a body and a credential', () => {
  const takesBody = ({ method }: { readonly method: string }) => ['POST', 'PUT', 'PATCH'].includes(method)
  const taken = declared.filter((route) => takesBody(route) && route.operation.scope !== undefined)
  const named = (route: string) =>
    route
      .replace('skills/none', 'skills/None')
      .replace(/\/(?:\{key\}|Fresh|acme|named|Acme\.Daily|Calculator\.Add@1\.0\.0|Calculator\.\*|Calculator)/, '/None')
  const known = new Set([...Object.keys(REFUSED).map(named), ...Object.keys(PASSED_OVER)])
  expect(new Set(taken.map(({ method, path }) => `${method} ${path}`))).toEqual(known)
})
