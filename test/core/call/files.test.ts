import { createBudget } from '../../../src/core/tool/budget.ts'
import { expect, it } from 'vitest'
import type { ArtifactStore, UploadedFile, UploadOwner, UploadStore } from '../../../src/core/call/artifact-store.ts'
import { describeFiles, locateFiles, mayContainFiles, readFiles } from '../../../src/core/call/files.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'

const ID = 'x'.repeat(22)
const HANDLE = `artifact:${ID}`
const BYTES = { type: 'string', contentEncoding: 'base64' }

/** A store of one file, and whom it was asked for. */
function storeOf(size = 3, owner: UploadOwner = { principal: 'p' }) {
  const asked: unknown[] = []
  const file: UploadedFile = {
    contentType: 'a/b',
    filename: 'f',
    size,
    etag: '"e"',
    expires: 1,
    read: async () => undefined,
    bytes: async () => new Uint8Array([1, 2, 3]),
    base64: async () => 'AQID',
    sha256: async () => '039058c6',
  }
  const uploads: UploadStore = {
    keep: async () => ({ ok: true, id: ID, expires: 1 }),
    remove: async () => false,
    async find(id, by) {
      asked.push([id, by])
      const isOwn = by.principal === owner.principal && by.userId === owner.userId
      return id === ID && isOwn ? file : undefined
    },
  }
  const artifacts: Pick<ArtifactStore, 'open'> = {
    open: async ({ id, expires, signature }) => (id === ID && expires === '1' && signature === 's' ? file : 'forged'),
  }
  return { uploads, artifacts, asked }
}

async function found(
  schema: JsonObject,
  input: JsonObject,
  { size = 3, asBase64 = true, userId = undefined as string | undefined } = {},
) {
  const named = await locateFiles(
    { input: schema },
    input,
    asBase64,
    { principal: 'p', userId },
    storeOf(size),
    createBudget(Infinity),
  )
  if (!named?.ok) return named
  return readFiles(named.value, input, asBase64)
}
const given = async (schema: JsonObject, input: JsonObject) => {
  const read = await found(schema, input)
  return read?.ok ? read.value.input : read
}
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })

it.each<readonly [string, JsonObject, JsonObject, JsonObject]>([
  ['a property', object({ a: BYTES }), { a: HANDLE }, { a: 'AQID' }],
  ['a property of format binary', object({ a: { format: 'binary' } }), { a: HANDLE }, { a: 'AQID' }],
  ['a property of format byte', object({ a: { format: 'byte' } }), { a: HANDLE }, { a: 'AQID' }],
  ['an encoding in other letters', object({ a: { contentEncoding: 'BASE64' } }), { a: HANDLE }, { a: 'AQID' }],
  ['items of a list', object({ a: { items: BYTES } }), { a: ['b', HANDLE] }, { a: ['b', 'AQID'] }],
  [
    'an item by its place',
    object({ a: { prefixItems: [{}, BYTES] } }),
    { a: [HANDLE, HANDLE] },
    { a: [HANDLE, 'AQID'] },
  ],
  ['other members', { additionalProperties: BYTES }, { 'a/b~': HANDLE }, { 'a/b~': 'AQID' }],
  ['one of several', object({ a: { anyOf: [{ type: 'null' }, BYTES] } }), { a: HANDLE }, { a: 'AQID' }],
  ['a reference', object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: BYTES } }), { a: HANDLE }, { a: 'AQID' }],
  [
    'deep within',
    object({ a: { items: object({ data: BYTES }) } }),
    { a: [{ data: HANDLE, x: HANDLE }] },
    { a: [{ data: 'AQID', x: HANDLE }] },
  ],
])('a handle is replaced by its file in %s', async (_, schema, input, wanted) => {
  expect(await given(schema, input)).toEqual(wanted)
})

it.each<readonly [string, JsonObject, JsonObject]>([
  ['another property', object({ a: BYTES, b: { type: 'string' } }), { b: HANDLE }],
  ['what no schema says anything of', object({ a: BYTES }), { c: HANDLE }],
  ['the midst of a text', object({ a: BYTES }), { a: `see ${HANDLE}` }],
  ['a name', object({ a: BYTES }), { [HANDLE]: 'a' }],
  ['a tool without files', object({ a: { type: 'string' } }), { a: HANDLE }],
  ['what another encoding is', object({ a: { ...BYTES, contentEncoding: '7bit' } }), { a: HANDLE }],
])('a handle stays text in %s', async (_, schema, input) => {
  expect(await given(schema, input)).toBeUndefined()
})

it('a handle of a missing file is reported with its location', async () => {
  const unknown = await given(object({ a: BYTES, b: BYTES }), { a: 'artifact:no', b: HANDLE })
  expect(unknown).toMatchObject({ failure: { type: 'input-invalid', problems: [{ path: '/a' }] } })
})

it('a handle must be the caller’s, or the principal’s for no user', async () => {
  const stores = storeOf(3)
  const schema = object({ a: BYTES })
  expect(
    await locateFiles(
      { input: schema },
      { a: HANDLE },
      true,
      { principal: 'p', userId: 'u' },
      stores,
      createBudget(Infinity),
    ),
  ).toMatchObject({ ok: true })
  expect(stores.asked).toEqual([
    [ID, { principal: 'p', userId: 'u' }],
    [ID, { principal: 'p' }],
  ])
  const users = storeOf(3, { principal: 'p', userId: 'u' })
  const none = await locateFiles(
    { input: schema },
    { a: HANDLE },
    true,
    { principal: 'p', userId: undefined },
    users,
    createBudget(Infinity),
  )
  expect(none).toMatchObject({ ok: false })
})

it.each([
  [`https://here.test:8443/artifacts/${ID}?expires=1&signature=s`, 'AQID'],
  [`http://[::1]:8787/artifacts/${ID}?expires=1&signature=s`, 'AQID'],
  [`https://here.test/artifacts/${ID}?expires=2&signature=s`, /not a link from this Switchboard/],
  [`https://here.test/artifacts/${ID}?expires=1&signature=s&x=1`, undefined],
  [`https://here.test/artifacts/${ID}`, undefined],
  [`https://here.test/x/artifacts/${ID}?expires=1&signature=s`, undefined],
  [`see https://here.test/artifacts/${ID}?expires=1&signature=s`, undefined],
])("a handle may be a link to a call's artifact: %s", async (link, wanted) => {
  const read = await given(object({ a: BYTES, b: { type: 'string' } }), { a: link, b: link })
  if (wanted === undefined) expect(read).toBeUndefined()
  else if (typeof wanted === 'string') expect(read).toEqual({ a: wanted, b: link })
  else {
    const problems = [{ path: '/a', message: expect.stringMatching(wanted) }]
    expect(read).toMatchObject({ failure: { type: 'input-invalid', problems } })
  }
})

it('a handle gives bytes to tools that accept bytes', async () => {
  const read = await found(object({ a: BYTES }), { a: HANDLE }, { asBase64: false })
  expect(read).toEqual({
    ok: true,
    value: { files: new Map([[HANDLE, { bytes: new Uint8Array([1, 2, 3]), contentType: 'a/b', filename: 'f' }]]) },
  })
})

it('a handle is limited in size, number, and by the schema', async () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, HANDLE]))
  const problems = [{ path: expect.any(String), message: expect.stringMatching(/^Must (?:name|be)/) }]
  const refused = { ok: false, failure: { type: 'input-invalid', problems } }
  expect(await found({ additionalProperties: BYTES }, many)).toMatchObject(refused)
  expect(await found(object({ a: BYTES }), { a: HANDLE }, { size: 8_388_609 })).toMatchObject(refused)
  expect(await found(object({ a: BYTES }), { a: HANDLE }, { size: 8_388_609, asBase64: false })).toMatchObject({
    ok: true,
  })
  expect(await found(object({ a: BYTES }), { a: HANDLE }, { size: 26_214_401, asBase64: false })).toMatchObject(refused)
  expect(await found(object({ a: { ...BYTES, maxLength: 3 } }), { a: HANDLE })).toMatchObject(refused)
  expect(await found(object({ a: { ...BYTES, maxLength: 4 } }), { a: HANDLE })).toMatchObject({ ok: true })
})

it('a handle is searched for within a work budget, whatever the schema', async () => {
  const wide = Array.from({ length: 8 }, () => ({ $ref: '#/$defs/l1' }))
  const $defs: Record<string, JsonObject> = { l8: BYTES }
  for (let level = 1; level < 8; level++)
    $defs[`l${level}`] = { anyOf: wide.map(() => ({ $ref: `#/$defs/l${level + 1}` })) }
  const result = await given(object({ a: { anyOf: wide } }, { $defs }), { a: HANDLE })
  expect(result).toMatchObject({
    failure: { type: 'input-invalid', problems: [{ message: 'Is too costly to be searched for files' }] },
  })
})

it('a handle makes the call retryable if the store is unreachable', async () => {
  const find = async () => Promise.reject(new Error('away'))
  const schema = object({ a: BYTES })
  expect(
    await locateFiles(
      { input: schema },
      { a: HANDLE },
      true,
      { principal: 'p' },
      { ...storeOf(), uploads: { find } },
      createBudget(Infinity),
    ),
  ).toMatchObject({ failure: { type: 'unavailable' } })
})

it('a schema may contain files if any part of it declares them', () => {
  expect(
    [BYTES, object({ a: { format: 'binary' } }), { type: 'string' }, true, undefined].map(mayContainFiles),
  ).toEqual([true, true, false, false, false])
})

it('files are listed in a fixed order, and not at all if one cannot be read', async () => {
  const { uploads, artifacts } = storeOf()
  const named = await locateFiles(
    { input: object({ a: BYTES }) },
    { a: HANDLE },
    true,
    { principal: 'p' },
    { uploads, artifacts },
    createBudget(Infinity),
  )
  if (!named?.ok) throw new Error('It names one')
  expect(await describeFiles(named.value)).toEqual({
    ok: true,
    value: [{ handle: HANDLE, filename: 'f', content_type: 'a/b', size: 3, sha256: '039058c6' }],
  })
  const [[, file] = []] = named.value.byHandle
  if (!file) throw new Error('There is one')
  const [b, a] = [`${HANDLE}b`, `${HANDLE}a`]
  const two = { ...named.value, byHandle: new Map([b, a].map((handle) => [handle, file])) }
  const inOrder = await describeFiles(two)
  expect(inOrder.ok && inOrder.value.map(({ handle }) => handle)).toEqual([a, b])
  const away = { ...file, sha256: () => Promise.reject(new Error('R2 is down')) }
  const broken = { ...named.value, byHandle: new Map([[HANDLE, away]]) }
  expect(await describeFiles(broken)).toMatchObject({ ok: false, failure: { type: 'unavailable' } })
})
