import { expect } from 'vitest'
import { confirmation, waitQuery } from '../../src/api/authorizations/wire.ts'
import { encodeProvider } from '../../src/api/providers/routes.ts'
import { importQuery } from '../../src/api/toolkits/import/routes.ts'
import { importReader } from '../../src/api/toolkits/import/wire.ts'
import { pluginQuery } from '../../src/api/toolkits/plugin/wire.ts'
import { TOOLKIT_CHANGE_BODY as TOOLKIT_CHANGE, OWNER_BODY, findNamedPrincipal } from '../../src/api/toolkits/wire.ts'
import { parseToolIdParam, VERSION_CHANGE_BODY, publicationQuery } from '../../src/api/tools/wire.ts'
import { newKeyReader } from '../../src/core/access/api-key.ts'
import { knownProvider } from '../../src/core/consent/known-providers.ts'
import { providerReader } from '../../src/core/consent/provider-reader.ts'
import { IMPORT_KINDS } from '../../src/core/tool/remote-dialect.ts'
import { createBudget } from '../../src/core/tool/budget.ts'
import { parseValue } from '../../src/core/tool/json-reader.ts'
import { readToolset } from '../../src/dialects/mcp/toolset.ts'
import { LIST_PARAMETERS } from '../../src/dialects/oxp/routes.ts'
import { defineQuery, type Query, readQuery } from '../../src/http/request/query.ts'
import { toJwtPrincipal } from '../../src/http/caller/jwt-claims.ts'
import { createUrlTextCheck } from '../../src/outbound/allowed-url.ts'
import { CLAIMS, IMPORT, KEY, PROVIDER } from './examples.ts'
import { texts, values } from './mutations.ts'
import { expectWords, isRead, isUnderstood, row, type Row, written } from './row.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const NEW_KEY = newKeyReader(() => NOW)
const RULES = { checkUrl: createUrlTextCheck(new Set(['127.0.0.1:8080'])), checkSecretName: () => undefined }
/** Creates a row for a query's reader. */
const query = (name: string, declared: Query<unknown>, ...examples: readonly string[]): Row =>
  row(name, texts(examples), (text) => isUnderstood(readQuery(declared, `/x?${text}`), 'request-malformed'))
const LISTING = defineQuery(LIST_PARAMETERS)

export const resources: readonly Row[] = [
  row('a new key', values([KEY, { ...KEY, users: 'any' }]), (body) => {
    const read = parseValue(NEW_KEY, body)
    if (!isRead(read)) return false
    // The stored form must read as the same value
    expect(parseValue(NEW_KEY, written(read.value))).toEqual(read)
    return true
  }),
  row('an OAuth provider', values([PROVIDER]), (body) => {
    const read = parseValue(providerReader('acme', RULES), body)
    if (!isRead(read)) return false
    expect(parseValue(providerReader('acme', RULES), written(encodeProvider(read.value)))).toEqual(read)
    return true
  }),
  row('a well-known OAuth provider', values([{ client_id: 'c1', client_secret_name: 'GOOGLE_SECRET' }]), (body) => {
    const read = parseValue(providerReader('google', { ...RULES, known: knownProvider('google') }), body)
    return isRead(read) && Boolean(written(encodeProvider(read.value)))
  }),
  row(
    'a change of a toolkit',
    values([
      { status: 'deprecated', message: 'Old' },
      { status: { state: 'disabled' }, owner: null, tags: ['mail'] },
    ]),
    (body) => {
      const read = parseValue(TOOLKIT_CHANGE, body)
      return isRead(read) && Boolean(written(read.value))
    },
  ),
  row(
    "a change of a version's status",
    values([
      { status: 'deprecated', message: 'Old', successor: 'Kit.Tool@2.0.0' },
      { status: { state: 'yanked' }, trusted: true },
      { status: { deprecated: { message: 'Old' } }, name: 'Kit_Tool' },
    ]),
    (body) => {
      parseToolIdParam(body)
      const read = parseValue(VERSION_CHANGE_BODY, body)
      return isRead(read) && Boolean(written(read.value))
    },
  ),
  row(
    'a list of the batch',
    values([[{ id: 'A.B@1.0.0' }, { definition: { id: 'x' } }]]),
    (body) => typeof parseToolIdParam(Array.isArray(body) ? body[0] : body) === 'string',
  ),
  row('the owner of a toolkit', values([{ owner: 'key:k1' }, { owner: 'admin' }, { owner: null }]), (body) => {
    const read = parseValue(OWNER_BODY, body)
    if (!isRead(read)) return false
    if (read.value.owner !== null)
      expect(findNamedPrincipal(read.value.owner).principal).toMatch(/^(?:admin|jwt:|key:)/)
    return true
  }),
  row(
    'a request to import',
    values([
      IMPORT,
      { from: { mcp: 'https://mcp.example.com' }, toolkit: 'Theirs' },
      { from: { oxp: 'https://x.example' }, toolkit: 'T' },
    ]),
    (body) => {
      const read = parseValue(importReader(IMPORT_KINDS), body)
      if (!isRead(read)) return false
      expect(typeof read.value.isSelected('getThing-2', createBudget())).toBe('boolean')
      return true
    },
  ),
  row("a verifier's confirmation", values([{ flow: 'sealed', user_id: 'ann' }]), (body) =>
    isRead(parseValue(confirmation, body)),
  ),
  row("a token's claims", values([CLAIMS]), async (claims) => {
    const read = await toJwtPrincipal(Object(claims), 'https://issuer.example')
    if (!read.ok) {
      expectWords(JSON.stringify(read))
      return false
    }
    const { users } = read.value
    expect(users === 'any' || users.length === 1).toBe(true)
    return true
  }),
  query('how long to wait', waitQuery, 'wait=30', 'wait=0'),
  query('the query of an import', importQuery, 'dry_run=1&allow=breaking', 'dry_run=0'),
  query('the query of a publication', publicationQuery, 'allow=breaking', 'dialect=oxp'),
  query(
    'the query of an upload',
    pluginQuery,
    'version=1.0.0&allowed_hosts=a.example,b.example:8080&security_level=4&config=key:SECRET,b:TWO&allow=breaking',
  ),
  row(
    'the query of a list',
    texts(['limit=20&versions=all&toolkit=Gmail&q=mail&tag=a&cursor=Z21haWw&losses=1', 'q=%F0%9F%92%A9&limit=1000']),
    (text) => {
      const read = readQuery(LISTING, `/tools?${text}`)
      if (!isUnderstood(read, 'request-malformed')) return false
      const limit = read.ok ? (read.value.limit ?? 1) : 0
      expect(limit).toBeGreaterThan(0)
      expect(limit).toBeLessThanOrEqual(1_000)
      return true
    },
  ),
  row(
    'the query of a toolset',
    texts(['http://x/mcp?toolkits=Gmail,SMS&tools=Kit.Tool&mode=search', 'http://x/mcp']),
    (url) => isUnderstood(readToolset(url), 'request-malformed'),
  ),
]
