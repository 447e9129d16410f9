import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADMIN, CORE, type Directory, MESSAGES, patch, startDirectory } from './set-up.ts'

let directory: Directory
const users: string[] = []
beforeAll(async () => {
  directory = await startDirectory()
  for (const userName of ['ann', 'bob', 'cy']) users.push((await send('POST', '/Users', { userName })).body.id)
})
afterAll(() => directory?.server.stop())

const send: Directory['send'] = (...request) => directory.send(...request)
const membersOf = async (id: string) => {
  const { body } = await send('GET', `/Groups/${id}`)
  return body.members.map(({ value }: { value: string }) => users.indexOf(value)).toSorted()
}
const member = (index: number) => ({ value: users[index] })

it("Entra's requests for groups work: without members in responses, and with members changed by paths", async () => {
  const sent = {
    schemas: [`${CORE}:Group`, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'Engineering',
    meta: { resourceType: 'Group' },
  }
  const filter = encodeURIComponent('displayName eq "engineering"')
  const lookup = async () => (await send('GET', `/Groups?excludedAttributes=members&filter=${filter}`)).body
  expect((await lookup()).Resources).toEqual([])
  const added = await send('POST', '/Groups', sent)
  expect(added).toMatchObject({ status: 201, body: { displayName: 'Engineering', members: [] } })
  const { id } = added.body
  const location = `${directory.server.url}/scim/v2/Groups/${id}`
  expect(added.headers.get('location')).toBe(location)
  const [group] = (await lookup()).Resources
  expect(group).toEqual({
    schemas: [`${CORE}:Group`],
    id,
    externalId: sent.externalId,
    displayName: 'Engineering',
    meta: { resourceType: 'Group', location },
  })
  expect((await send('GET', `/Groups/${id}?excludedAttributes=members`)).body).toEqual(group)
  expect((await send('GET', `/Groups/${id}?attributes=members`)).body).toMatchObject({ id, members: [] })

  const change = async (...operations: readonly object[]) => {
    const { status, body } = await send('PATCH', `/Groups/${id}`, patch(...operations))
    expect([status, body]).toEqual([204, undefined])
  }
  await change({ op: 'Add', path: 'members', value: [{ $ref: null, value: users[0] }, member(1)] })
  await change({ op: 'Add', path: 'members', value: [member(1), member(2)] })
  expect(await membersOf(id)).toEqual([0, 1, 2])
  await change({ op: 'Remove', path: `members[value eq "${users[1]}"]` })
  expect(await membersOf(id)).toEqual([0, 2])
  await change({ op: 'Remove', path: 'members', value: [member(0)] })
  await change({ op: 'Replace', path: 'displayName', value: 'Builders' })
  expect(await membersOf(id)).toEqual([2])
  await change({ op: 'replace', path: 'members', value: [member(0), member(1)] })
  expect(await membersOf(id)).toEqual([0, 1])
  await change({ op: 'remove', path: 'members' })
  expect(await membersOf(id)).toEqual([])
  expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204)
  expect((await send('GET', `/Groups/${id}`)).status).toBe(404)
})

it("Okta's requests for groups work: a push, a rename by value, a PUT and the deletion of a user", async () => {
  const { body } = await send('POST', '/Groups', { displayName: 'Pushed', members: [member(0), member(1)] })
  const rename = { op: 'replace', value: { id: body.id, displayName: 'Renamed' } }
  expect((await send('PATCH', `/Groups/${body.id}`, patch(rename))).status).toBe(204)
  expect((await send('GET', `/Groups/${body.id}`)).body).toMatchObject({ id: body.id, displayName: 'Renamed' })
  expect(await membersOf(body.id)).toEqual([0, 1])
  const put = { displayName: 'Put', members: [member(1), { ...member(2), display: 'cy' }] }
  expect((await send('PUT', `/Groups/${body.id}`, put)).body).toMatchObject({ displayName: 'Put' })
  expect(await membersOf(body.id)).toEqual([1, 2])
  await send('DELETE', `/Users/${users[2]}`)
  expect(await membersOf(body.id)).toEqual([1])
  const [listed] = (await send('GET', '/Groups?count=10')).body.Resources
  expect(listed).toMatchObject({ id: body.id, members: [member(1)] })
})

it('a group with an unknown member, too many members or a taken name is refused', async () => {
  const { body } = await send('POST', '/Groups', { displayName: 'Small' })
  const path = `/Groups/${body.id}`
  const add = patch({ op: 'add', path: 'members', value: [member(0), { value: 'nobody' }] })
  const unknown = { status: 400, body: { scimType: 'invalidValue', detail: expect.stringContaining("user 'nobody'") } }
  expect(await send('PATCH', path, add)).toMatchObject(unknown)
  expect(await send('PUT', path, { displayName: 'Small', members: [{ value: 'nobody' }] })).toMatchObject(unknown)
  expect(await send('POST', '/Groups', { displayName: 'Nested', members: [{ value: body.id }] })).toMatchObject({
    status: 400,
  })
  await send('PATCH', path, patch({ op: 'add', path: 'members', value: [member(0)] }))
  for (const value of [5, [null], [[member(1)]], [{ ref: users[1] }], { value: 5 }]) {
    const answer = await send('PATCH', path, patch({ op: 'replace', path: 'members', value }))
    expect(answer, JSON.stringify(value)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
  }
  expect(await membersOf(body.id)).toEqual([0])
  await send('PATCH', path, patch({ op: 'replace', path: 'members', value: [] }))
  expect(await membersOf(body.id)).toEqual([])
  const members = Array.from({ length: 20_001 }, (_, index) => ({ value: `m${index}` }))
  expect(await send('PUT', path, { displayName: 'Small', members })).toMatchObject({
    status: 400,
    body: { scimType: 'invalidValue', detail: expect.stringContaining('20000') },
  })
  expect(await send('POST', '/Groups', { displayName: 'sMALL' })).toMatchObject({
    status: 409,
    body: { schemas: [`${MESSAGES}:Error`], scimType: 'uniqueness' },
  })
  expect(await send('POST', '/Groups', {})).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
  expect(await send('GET', '/Groups?filter=userName%20eq%20%22a%22')).toMatchObject({
    body: { scimType: 'invalidFilter' },
  })
  expect(await send('GET', `/Users/${body.id}`)).toMatchObject({ status: 404 })
  expect(await send('DELETE', `/Users/${body.id}`)).toMatchObject({ status: 404 })
})

it('changes of groups are in the audit log', async () => {
  const { body } = await send('POST', '/Groups', { displayName: 'Audited' })
  await send('DELETE', `/Groups/${body.id}`)
  const events = async () => {
    const { body: log } = await directory.server.json('GET', '/audit?limit=1000', undefined, ADMIN)
    return log.items.filter((each: any) => each.about?.id === body.id)
  }
  await expect.poll(async () => (await events()).length).toBe(2)
  expect(await events()).toMatchObject([
    { act: 'scim.remove', path: `/scim/v2/Groups/${body.id}`, about: { name: 'Audited' } },
    { act: 'scim.put', path: '/scim/v2/Groups', about: { name: 'Audited' } },
  ])
})
