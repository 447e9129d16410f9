import { expect, it } from 'vitest'
import { normalizeTokenResponse } from '../../src/oauth-client/token-response.ts'

const normal = async (body: string | object, type = 'application/json', status = 200) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'content-type': type, 'www-authenticate': 'Basic', 'retry-after': '3' }
  const response = await normalizeTokenResponse(new Response(text, { status, headers }))
  expect(response.headers.get('www-authenticate')).toBeNull()
  expect(response.headers.get('retry-after')).toBe('3')
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
const json = async (...given: Parameters<typeof normal>) => {
  const { status, type, text } = await normal(...given)
  expect(type).toBe('application/json')
  return { status, body: JSON.parse(text) }
}

it('the response of a token endpoint stays unchanged if it conforms', async () => {
  const body = { access_token: 'a', token_type: 'Bearer', expires_in: 60, refresh_token: 'r', scope: '' }
  expect(await json(body)).toEqual({ status: 200, body })
})

it('the response of a token endpoint is read from a form, which GitHub sends by default', async () => {
  const form = 'access_token=a%20b&scope=repo%2Cgist&token_type=bearer'
  expect((await json(form, 'application/x-www-form-urlencoded; charset=utf-8')).body).toEqual({
    access_token: 'a b',
    scope: 'repo,gist',
    token_type: 'bearer',
  })
})

it.each<[string, object, object]>([
  ['nulls and empty texts', { access_token: 'a', token_type: 'bearer', refresh_token: '', scope: null }, {}],
  ['an ID token', { access_token: 'a', token_type: 'bearer', id_token: 'x.y.z' }, {}],
  ['no type of token', { access_token: 'a' }, {}],
  ["Slack's own type of token", { ok: true, access_token: 'a', token_type: 'user' }, { ok: true }],
  ['a life of 0', { access_token: 'a', token_type: 'bearer', expires_in: 0 }, {}],
  ['a life that is no number', { access_token: 'a', token_type: 'bearer', expires_in: 'soon' }, {}],
  ['a list of scopes', { access_token: 'a', token_type: 'bearer', scope: ['b', 'c'] }, { scope: 'b c' }],
  ['no scopes in a list', { access_token: 'a', token_type: 'bearer', scope: [] }, { scope: '' }],
  ['a life as a text', { access_token: 'a', token_type: 'bearer', expires_in: '60' }, { expires_in: '60' }],
])('the response of a token endpoint with %s is understood', async (_, body, more) => {
  expect((await json(body, 'text/plain')).body).toEqual({ access_token: 'a', token_type: 'bearer', ...more })
})

it.each([201, 202, 203])('the response of a token endpoint with %i is treated as 200', async (status) => {
  const body = { access_token: 'a', token_type: 'bearer' }
  expect(await json(body, 'application/json', status)).toEqual({ status: 200, body })
})

it.each([
  [{ error: 'bad_refresh_token' }, 200, 400, 'invalid_grant'],
  [{ ok: false, error: 'token_revoked' }, 200, 400, 'invalid_grant'],
  [{ error: 'incorrect_client_credentials' }, 200, 400, 'invalid_client'],
  [{ error: 'invalid_grant' }, 401, 401, 'invalid_grant'],
  [{ error: 'unheard_of' }, 200, 400, 'unheard_of'],
  [{ error: { code: 'unheard_of' } }, 400, 400, 'unheard_of'],
  [{ status: 'BAD_REFRESH_TOKEN' }, 400, 400, 'BAD_REFRESH_TOKEN'],
  [{}, 400, 400, 'unnamed_error'],
])('the response of a token endpoint with an error has an error status: %j', async (body, status, wanted, error) => {
  expect(await json(body, 'application/json', status)).toMatchObject({ status: wanted, body: { error } })
})

it.each(['<h1>Hello</h1>', '[]', '"text"', '', '{'])(
  'the response of a token endpoint without meaning stays unchanged: %s',
  async (text) => {
    expect(await normal(text, 'text/html')).toEqual({ status: 200, type: 'text/html', text })
  },
)
