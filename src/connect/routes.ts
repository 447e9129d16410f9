import { type Context, Hono } from 'hono'
import { readBytes, readForm } from '../http/body.ts'
import { jsonText } from '../http/json-response.ts'
import { isTrustworthy } from '../http/loopback.ts'
import type { AuthorizeDeps } from './authorize.ts'
import { RESOURCE_METADATA_PATH, resourceMetadata, SERVER_METADATA_PATH, serverMetadata } from './metadata.ts'
import { oauthAnswer, oauthError, reached, tooMany } from './oauth-answer.ts'

export interface ConnectFaceDeps extends AuthorizeDeps {
  /** Called after a token was revoked, so that this isolate's verdicts follow at once. */
  readonly onChange: () => void
}

const FORM_LIMIT = 65_536
const REGISTRATION_LIMIT = 32_768

/**
 * The authorization server for agents that sign people in (`/connect`): its metadata, `GET·POST /connect/authorize`, which
 * asks the person who is signed in, `POST /connect/token`, which also revokes, and `POST /connect/register`. The OAuth of it is
 * the library's, in the Connect object; the page is loaded when it is first opened.
 */
export function connectFace(deps: ConnectFaceDeps): Hono {
  const { server, onChange, shield } = deps
  const face = new Hono()

  face.get(RESOURCE_METADATA_PATH, (c) => metadata(c, resourceMetadata))
  face.get(SERVER_METADATA_PATH, (c) => metadata(c, serverMetadata))
  // OpenID clients ask there; what they find is the same (RFC 8414, section 5)
  face.get('/.well-known/openid-configuration/connect', (c) => metadata(c, serverMetadata))
  face.get('/connect/.well-known/openid-configuration', (c) => metadata(c, serverMetadata))

  const pages = async () => (await import('./authorize.ts')).createAuthorize(deps)
  let authorize: Awaited<ReturnType<typeof pages>> | undefined
  face.get('/connect/authorize', async (c) => (authorize ??= await pages()).ask(c))
  face.post('/connect/authorize', async (c) => (authorize ??= await pages()).decide(c))

  face.post('/connect/token', async (c) => {
    if (shield(c)) return tooMany()
    const origin = originOf(c)
    if (origin === undefined) return oauthError(400, 'invalid_request', 'Wanted https')
    const form = await readForm(c.req.raw, FORM_LIMIT)
    if (!form.ok) return oauthError(400, 'invalid_request', `Wanted a form of at most ${FORM_LIMIT} bytes`)
    const authorization = c.req.raw.headers.get('authorization')
    const answer = await reached(() => server.token(origin, authorization, form.value.toString()))
    // What is revoked here is dead here at once
    if (!form.value.has('grant_type')) onChange()
    return answer instanceof Response ? answer : oauthAnswer(answer)
  })

  face.post('/connect/register', async (c) => {
    if (shield(c)) return tooMany()
    const origin = originOf(c)
    if (origin === undefined) return oauthError(400, 'invalid_request', 'Wanted https')
    const body = await readBytes(c.req.raw, 'application/json', REGISTRATION_LIMIT)
    if (!body.ok) {
      const wanted = `Wanted 'application/json' of at most ${REGISTRATION_LIMIT} bytes`
      return oauthError(400, 'invalid_client_metadata', wanted)
    }
    const text = new TextDecoder().decode(body.value)
    const answer = await reached(() => server.register(origin, text))
    return answer instanceof Response ? answer : oauthAnswer(answer)
  })

  return face
}

/** Where the deployment was reached, if that is a place where tokens may be given out. */
function originOf(c: Context): string | undefined {
  const url = new URL(c.req.url)
  return isTrustworthy(url) ? url.origin : undefined
}

function metadata(c: Context, of: (origin: string) => object): Response {
  const origin = originOf(c)
  if (origin === undefined) return oauthError(404, 'invalid_request', 'Agents connect by https')
  return jsonText(JSON.stringify(of(origin)), 200, { 'cache-control': 'public, max-age=300' })
}
