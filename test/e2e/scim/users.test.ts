import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN, CORE, type Directory, MESSAGES, patch, startDirectory } from './set-up.ts'

let directory: Directory
beforeAll(async () => {
  directory = await startDirectory()
})
afterAll(() => directory?.server.stop())

const send: Directory['send'] = (...request) => directory.send(...request)
const add = async (userName: string, more: object = {}) => (await send('POST', '/Users', { userName, ...more })).body
const found = async (filter: string) => (await send('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body

describe("Okta's requests", () => {
  /** As Okta documents its provisioning: looked up, added, changed, deactivated. */
  const OKTA_USER = {
    schemas: [`${CORE}:User`],
    userName: 'Test.User@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }

  it('work: a lookup, a new user, its change, deactivation and reactivation', async () => {
    const lookup = `userName eq "${OKTA_USER.userName}"`
    expect(await found(lookup)).toEqual({
      schemas: [`${MESSAGES}:ListResponse`],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
    const added = await send('POST', '/Users', OKTA_USER)
    const { id } = added.body
    const location = `${directory.server.url}/scim/v2/Users/${id}`
    const user = {
      schemas: [`${CORE}:User`],
      id,
      userName: 'Test.User@okta.local',
      externalId: '00ujl29u0le5T6Aj10h7',
      displayName: 'Test User',
      active: true,
      emails: [{ value: 'test.user@okta.local', type: 'work' }],
      meta: { resourceType: 'User', location },
    }
    expect(added).toMatchObject({ status: 201, body: user })
    expect(Object.keys(added.body).toSorted()).toEqual(Object.keys(user).toSorted())
    expect(added.headers.get('location')).toBe(location)
    expect(added.headers.get('content-type')).toBe('application/scim+json')
    expect(JSON.stringify(added.body)).not.toContain('1mz050nq')
    expect((await found(lookup.toUpperCase().replace('USERNAME EQ', 'username EQ'))).Resources).toEqual([user])
    expect((await send('GET', `/Users/${id}`)).body).toEqual(user)

    const renamed = await send('PUT', `/Users/${id}`, { ...OKTA_USER, id, displayName: 'Another User' })
    expect(renamed).toMatchObject({ status: 200, body: { ...user, displayName: 'Another User' } })
    const off = await send('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } }))
    expect(off).toMatchObject({ status: 200, body: { id, active: false, displayName: 'Another User' } })
    const on = await send('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: true } }))
    expect(on.body).toMatchObject({ active: true })
    expect((await send('PUT', `/Users/${id}`, { ...OKTA_USER, active: false })).body).toMatchObject({ active: false })
  })
})

describe("Entra's requests", () => {
  const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
  /** As Microsoft documents its provisioning, with booleans that are texts. */
  const ENTRA_USER = {
    'schemas': [`${CORE}:User`, ENTERPRISE],
    'externalId': '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    'userName': 'Test_User_ab6490ee@testuser.com',
    'active': true,
    'emails': [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
    'meta': { resourceType: 'User' },
    'name': { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    'roles': [],
    [ENTERPRISE]: { department: 'Sales' },
  }

  it('work: a new user, changes by paths, a string for a boolean, and a deletion', async () => {
    const { body } = await send('POST', '/Users', ENTRA_USER, 'application/json')
    const path = `/Users/${body.id}`
    expect((await found(`externalId eq "${ENTRA_USER.externalId}"`)).Resources).toEqual([body])
    expect((await found(`id eq "${body.id}"`)).totalResults).toBe(1)
    const changed = await send(
      'PATCH',
      path,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
        { op: 'Add', path: 'roles[primary eq "True"].value', value: 'x' },
        { op: 'Add', path: 'emails[__proto__ eq "a"].value', value: 'x' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Support' },
        { op: 'Replace', path: `${CORE}:User:displayName`, value: 'Of Microsoft' },
        { op: 'Add', value: { 'externalId': 'another', 'name.givenName': 'x', [`${ENTERPRISE}:manager`]: 'y' } },
      ),
    )
    const wanted = { ...body, externalId: 'another', displayName: 'Of Microsoft' }
    expect(changed.body).toEqual({ ...wanted, emails: [{ type: 'work', value: 'updatedEmail@microsoft.com' }] })
    const off = await send('PATCH', path, patch({ op: 'Replace', path: 'active', value: 'False' }))
    expect(off).toMatchObject({ status: 200, body: { active: false } })
    const gone = await send(
      'PATCH',
      path,
      patch({ op: 'Remove', path: 'externalId' }, { op: 'remove', path: 'emails' }),
    )
    expect([gone.body.externalId, gone.body.emails]).toEqual([undefined, []])
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await send('GET', path)).status).toBe(404)
    expect((await send('DELETE', path)).status).toBe(404)
  })

  it('add one e-mail address to others, once', async () => {
    const { id } = await add('mails@acme.test', { emails: [{ value: 'a@acme.test', type: 'home' }] })
    const more = { op: 'add', path: 'emails', value: [{ value: 'b@acme.test' }, { value: 'a@acme.test' }] }
    for (const op of [more, more]) {
      const { body } = await send('PATCH', `/Users/${id}`, patch(op))
      expect(body.emails).toEqual([{ value: 'b@acme.test' }, { value: 'a@acme.test' }])
    }
    const left = await send('PATCH', `/Users/${id}`, patch({ op: 'remove', path: 'emails[value eq "b@acme.test"]' }))
    expect(left.body.emails).toEqual([{ value: 'a@acme.test' }])
  })
})

describe('refusals', () => {
  const refusal = (status: number, scimType: string | undefined, detail: unknown) => ({
    status,
    body: {
      schemas: [`${MESSAGES}:Error`],
      status: String(status),
      ...(scimType === undefined ? {} : { scimType }),
      detail,
    },
  })

  it.each([
    ['userName co "a"'],
    ['userName eq a'],
    ['userName eq "a" or id eq "b"'],
    ['displayName eq "a"'],
    ['constructor eq "a"'],
    ['__proto__ eq "a"'],
    ['external_id eq "a"'],
    ['emails[type eq "work"].value eq "a"'],
    [''],
  ])('a filter that is not supported is refused: %s', async (filter) => {
    const answer = await send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect(answer).toMatchObject(refusal(400, 'invalidFilter', expect.stringContaining('userName eq "…"')))
    expect(answer.headers.get('content-type')).toBe('application/scim+json')
  })

  it.each([
    ['no userName', {}, 'invalidValue', "'userName': Is required"],
    ['an empty userName', { userName: '' }, 'invalidValue', '1 to 256'],
    ['a long userName', { userName: 'x'.repeat(257) }, 'invalidValue', '1 to 256'],
    ['a line break', { userName: 'a\nb' }, 'invalidValue', '1 to 256'],
    ['a word for active', { userName: 'a', active: 'perhaps' }, 'invalidValue', "'active': Must be true or false"],
    ['an inherited word for active', { userName: 'a', active: 'constructor' }, 'invalidValue', "'active': Must be"],
    [
      'an object for active',
      { userName: 'a', active: { toString: 1, valueOf: 1 } },
      'invalidValue',
      "'active': Must be",
    ],
    [
      'too many e-mail addresses',
      { userName: 'a', emails: Array(21).fill({ value: 'a' }) },
      'invalidValue',
      "'emails'",
    ],
    ['an array', [], 'invalidValue', 'an object'],
  ])('a user with %s is refused', async (_, user, scimType, detail) => {
    expect(await send('POST', '/Users', user)).toMatchObject(refusal(400, scimType, expect.stringContaining(detail)))
  })

  it.each([
    [{ op: 'replace', path: 'active[', value: false }, 'invalidPath', "'Operations[1].path'"],
    [
      { op: 'replace', path: 'emails[type eq "work" and primary eq true].value', value: 'a' },
      'invalidPath',
      "[1].path'",
    ],
    [{ op: { toString: 1 }, path: 'active' }, 'invalidValue', "'add', 'replace' or 'remove'"],
    [{ op: 'move', path: 'active' }, 'invalidValue', "'add', 'replace' or 'remove'"],
    [{ op: 'replace', value: false }, 'invalidValue', "Must have a 'path'"],
    [{ op: 'remove' }, 'invalidValue', "Must have a 'path'"],
    [{ op: 'remove', path: 'userName' }, 'invalidValue', "'userName'"],
    [{ op: 'replace', path: 'active', value: 'off' }, 'invalidValue', "'active': Must be true or false"],
  ])('the operation %j is refused, and changes nothing', async (operation, scimType, detail) => {
    const { body: before } = await send('GET', '/Users?count=1&filter=userName%20eq%20%22patched%22')
    const user = before.Resources[0] ?? (await add('patched'))
    const good = { op: 'replace', path: 'displayName', value: 'new' }
    const answer = await send('PATCH', `/Users/${user.id}`, patch(good, operation))
    expect(answer).toMatchObject(refusal(400, scimType, expect.stringContaining(detail)))
    expect((await send('GET', `/Users/${user.id}`)).body).toEqual(user)
  })

  it('a PATCH without operations, and a body that is not JSON, are refused', async () => {
    const { id } = await add('plain')
    expect(await send('PATCH', `/Users/${id}`, {})).toMatchObject(refusal(400, 'invalidValue', expect.any(String)))
    expect(await send('PATCH', `/Users/${id}`, patch())).toMatchObject({ status: 400 })
    const many = Array(101).fill({ op: 'remove', path: 'emails' })
    expect(await send('PATCH', `/Users/${id}`, patch(...many))).toMatchObject({ status: 400 })
    const { url } = directory.server
    const headers = { ...directory.headers, 'content-type': 'application/scim+json' }
    const broken = await fetch(`${url}/scim/v2/Users`, { method: 'POST', headers, body: '{' })
    expect({ status: broken.status, body: await broken.json() }).toMatchObject(
      refusal(400, 'invalidSyntax', expect.any(String)),
    )
    const text = await fetch(`${url}/scim/v2/Users`, { method: 'POST', headers: directory.headers, body: '{}' })
    expect(text.status).toBe(415)
  })

  it('a userName that another user has is refused, in any case', async () => {
    const first = await add('taken@acme.test')
    const second = await add('free@acme.test')
    const taken = refusal(409, 'uniqueness', 'Another user has this name')
    expect(await send('POST', '/Users', { userName: 'Taken@acme.test' })).toMatchObject(taken)
    expect(await send('PUT', `/Users/${second.id}`, { userName: 'TAKEN@acme.test' })).toMatchObject(taken)
    const rename = patch({ op: 'replace', path: 'username', value: 'TAKEN@acme.test' })
    expect(await send('PATCH', `/Users/${second.id}`, rename)).toMatchObject(taken)
    expect(await send('PATCH', `/Users/${first.id}`, rename)).toMatchObject({ body: { userName: 'TAKEN@acme.test' } })
  })

  it('a user that does not exist is not found, and PUT does not create one', async () => {
    const absent = refusal(404, undefined, "Cannot find the user 'none'")
    expect(await send('GET', '/Users/none')).toMatchObject(absent)
    expect(await send('PUT', '/Users/none', { userName: 'none' })).toMatchObject(absent)
    expect(await send('PATCH', '/Users/none', patch({ op: 'remove', path: 'emails' }))).toMatchObject(absent)
    expect(await send('DELETE', '/Users/none')).toMatchObject(absent)
    expect((await found('userName eq "none"')).totalResults).toBe(0)
  })

  it('a body of more than 1 MB is refused', async () => {
    const answer = await send('POST', '/Users', { userName: 'large', note: 'x'.repeat(1_000_000) })
    expect(answer).toMatchObject(refusal(413, undefined, expect.any(String)))
  })

  it('SCIM needs the scope scim or admin, and the scope scim allows nothing else', async () => {
    const { server, headers } = directory
    const ask = (path: string, asWhom: Record<string, string> = {}) => server.json('GET', path, undefined, asWhom)
    expect(await ask('/scim/v2/Users')).toMatchObject(refusal(401, undefined, expect.any(String)))
    expect((await ask('/scim/v2/Users')).headers.get('www-authenticate')).toContain('Bearer')
    const others = ['tools:read', 'tools:call', 'tools:publish', 'users:confirm', 'records:read']
    const key = await server.json('POST', '/keys', { name: 'others', scopes: others, users: 'any' }, ADMIN)
    const asOthers = { authorization: `Bearer ${key.body.key}` }
    for (const path of ['/Users', '/Users/x', '/Groups', '/ServiceProviderConfig', '/ResourceTypes', '/Schemas']) {
      const answer = await ask(`/scim/v2${path}`, asOthers)
      expect(answer).toMatchObject(refusal(403, undefined, "This needs the scope 'scim'"))
      expect((await ask(`/scim/v2${path}`, ADMIN)).status).toBe(path.endsWith('/x') ? 404 : 200)
    }
    for (const path of ['/tools', '/keys', '/users', '/audit', '/setup', '/policies', '/providers'])
      expect((await ask(path, { ...headers })).status, path).toBe(403)
    const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
    expect((await server.json('POST', '/tools/call', call, { ...headers })).status).toBe(403)
    expect((await server.json('POST', '/keys', { name: 'x', scopes: ['admin'] }, { ...headers })).status).toBe(403)
  })
})

it('users are listed in pages, in a stable order', async () => {
  for (const name of ['page-a', 'page-c', 'page-b']) await add(name)
  const { body: whole } = await send('GET', '/Users')
  const names = whole.Resources.map((user: { userName: string }) => user.userName)
  expect(names).toEqual(names.toSorted((a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
  const page = async (query: string) => (await send('GET', `/Users?${query}`)).body
  const total = whole.totalResults
  expect(await page('startIndex=2&count=2')).toMatchObject({
    totalResults: total,
    startIndex: 2,
    itemsPerPage: 2,
    Resources: whole.Resources.slice(1, 3),
  })
  expect(await page('startIndex=-5&count=1')).toMatchObject({ startIndex: 1, Resources: [whole.Resources[0]] })
  expect(await page('count=0')).toMatchObject({ totalResults: total, Resources: [] })
  expect(await page('count=-1')).toMatchObject({ totalResults: total, Resources: [] })
  expect(await page('count=99999')).toMatchObject({ itemsPerPage: Math.min(100, total) })
  expect(await page(`startIndex=${total + 1}`)).toMatchObject({ totalResults: total, Resources: [] })
  expect(await page('startIndex=x')).toMatchObject({ status: '400', scimType: 'invalidSyntax' })
  const [{ id }] = whole.Resources
  expect((await page('attributes=username&count=1')).Resources).toEqual([
    { schemas: [`${CORE}:User`], id, userName: names[0], meta: expect.any(Object) },
  ])
  expect(await page('sortBy=userName')).toMatchObject({ totalResults: total })
})

it('returns the supported SCIM features', async () => {
  expect((await send('GET', '/ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    filter: { supported: true, maxResults: 100 },
    bulk: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    changePassword: { supported: false },
  })
  const { body: types } = await send('GET', '/ResourceTypes')
  expect(types).toMatchObject({ totalResults: 2, Resources: [{ endpoint: '/Users' }, { endpoint: '/Groups' }] })
  const { body: schemas } = await send('GET', '/Schemas')
  const [user, group] = schemas.Resources
  expect([user.id, group.id]).toEqual([`${CORE}:User`, `${CORE}:Group`])
  expect(user.attributes.map(({ name }: { name: string }) => name)).toEqual([
    'userName',
    'externalId',
    'displayName',
    'active',
    'emails',
  ])
  expect(user.attributes.filter(({ required }: { required: boolean }) => required)).toMatchObject([
    { name: 'userName' },
  ])
})

it('changes of users are in the audit log, with the access that ended', async () => {
  const { id } = await add('audited@acme.test')
  await send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
  await send('DELETE', `/Users/${id}`)
  const events = async () => {
    const { body } = await directory.server.json('GET', '/audit?limit=1000', undefined, ADMIN)
    return body.items.filter((each: any) => each.about?.id === id)
  }
  await expect.poll(async () => (await events()).length).toBe(3)
  const ended = [{ user_id: 'audited@acme.test', sessions: 0, agents: 0, accounts: 0, authorizations: 0 }]
  expect(await events()).toMatchObject([
    { act: 'scim.remove', outcome: 'success', about: { name: 'audited@acme.test' } },
    { act: 'scim.put', method: 'PATCH', about: { ended } },
    { act: 'scim.put', method: 'POST', principal: expect.stringMatching(/^key:/), about: { ended: [] } },
  ])
})
