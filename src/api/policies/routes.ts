import { type Context, Hono } from 'hono'
import { decodePolicy, type JudgeSecret, MAX_POLICIES, POLICY, type PolicyStore } from '../../core/access/policy.ts'
import type { Principal } from '../../core/access/principal.ts'
import { type Failing, fail, type Result } from '../../core/failure/failure.ts'
import { isToolPattern } from '../../core/tool/tool-id.ts'
import { readJson } from '../../http/request/body.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { NO_QUERY } from '../../http/request/query.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route/route.ts'

export interface PoliciesFaceDeps extends RouteDeps {
  readonly store: PolicyStore
  /** Which secrets policies may name, as of now. */
  readonly judgeSecrets: () => Promise<JudgeSecret>
}

const BODY_LIMIT = 64 * 1024

/**
 * `GET /policies`, and `GET`, `PUT` and `DELETE /policies/{pattern}`: what administrators say of the tools that a pattern covers.
 */
export function policiesFace(deps: PoliciesFaceDeps): Hono {
  const { store, judgeSecrets } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()

  face.get('/policies', route({ scope: 'admin', query: NO_QUERY }, list))
  face.get('/policies/:pattern', route({ scope: 'admin', query: NO_QUERY }, show))
  face.put('/policies/:pattern', route({ scope: 'admin', act: 'policy.put', query: NO_QUERY, body: POLICY }, put))
  face.delete('/policies/:pattern', route({ scope: 'admin', act: 'policy.remove', query: NO_QUERY }, remove))

  async function list(c: Context): Promise<Response> {
    return c.json({ items: await store.list() })
  }

  async function show(c: Context): Promise<Response | Failing> {
    const pattern = patternOf(c)
    if (!pattern.ok) return pattern
    const found = (await store.list()).find((policy) => isSame(policy.pattern, pattern.value))
    return found ? c.json(found) : unknown(pattern.value)
  }

  async function put(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const pattern = patternOf(c)
    if (!pattern.ok) return pattern
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const read = decodePolicy(pattern.value, body.value, await judgeSecrets())
    if (!read.ok) return fail({ type: 'definition-invalid', what: 'policy', problems: read.problems })
    const { limits, ...said } = read.value
    note({ ...said, ...(limits ? { limits: { ...limits } } : {}) })
    const isNew = await store.put(read.value)
    if (isNew !== undefined) return c.json(read.value, isNew ? 201 : 200)
    return fail({
      type: 'conflict',
      message: `There are ${MAX_POLICIES} policies, as many as there may be: delete one`,
    })
  }

  async function remove(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const pattern = patternOf(c)
    if (!pattern.ok) return pattern
    note({ pattern: pattern.value })
    return (await store.remove(pattern.value)) ? c.body(null, 204) : unknown(pattern.value)
  }

  return face
}

function patternOf(c: Context): Result<string> {
  const pattern = pathSegment(c.req.url, 2)
  if (!pattern.ok || isToolPattern(pattern.value)) return pattern
  const message = "A policy is for a tool pattern such as '*', 'Gmail.*', '*.Delete*' or 'Gmail.GetEmails'"
  return fail({ type: 'request-malformed', message })
}

/** Case does not count, as ids are unique ignoring it. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function unknown(pattern: string): Failing {
  return fail({ type: 'not-found', message: `There is no policy for '${pattern}'` })
}
