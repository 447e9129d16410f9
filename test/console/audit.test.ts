import { expect, it } from 'vitest'
import { AUDIT_ACTIONS } from '../../src/core/access/audit-entry.ts'
import type { JsonObject } from '../../src/core/tool/json.ts'
import { type AuditEntry, formatEvent, groupEntries } from '../../src/console/audit/event.ts'
import { setUp } from './set-up.ts'

const ACT = {
  at: '2030-01-01T11:02:03.456Z',
  act: 'tools.publish',
  principal: 'key:1',
  method: 'POST',
  path: '/tools',
  outcome: 'success',
  status: 200,
} as const satisfies AuditEntry
const IMPORT = { ...ACT, act: 'tools.import', principal_name: 'boss', path: '/toolkits/import' } as const

const sentence = (fields: Partial<AuditEntry>, about?: JsonObject) =>
  formatEvent([{ ...ACT, principal: 'admin', ...fields, ...(about && { about }) }])

it('the audit log shows events as sentences above their records, and filters them by time, action and outcome', async () => {
  const published = Array.from({ length: 300 }, (_, index) => `Mail.Send${index}@1.0.0`)
  const about = { published, pending: [], name: '<b>', limits: { concurrency: 5 }, users: ['ann', 'bob'] }
  const { get, asked } = setUp({
    'GET /audit': () => ({
      items: [
        { ...ACT, about },
        { ...ACT, outcome: 'forbidden' },
      ],
      next_cursor: 'n',
    }),
  })
  const text = await (
    await get('/console/audit?act=tools.publish&outcome=failure&range=week&until=2030-01-02&principal=admin')
  ).text()
  const query = new URL(asked[0]?.request.url ?? '').searchParams
  expect([query.get('act'), query.get('outcome'), query.get('principal')]).toEqual([
    'tools.publish',
    'failure',
    'admin',
  ])
  expect([query.get('until'), query.get('since')]).toEqual(['2030-01-02T23:59:59.999Z', expect.any(String)])
  for (const said of [
    '2030-01-01 11:02:03 UTC',
    'key:1 published 300 tools',
    'key:1 tried to publish tools <span class="outcome failure" title="forbidden">Forbidden</span>',
    'about.name: &lt;b&gt;',
    'about.users: [&quot;ann&quot;,&quot;bob&quot;]',
    '<option value="tools.publish" selected="">Tools: publish</option>',
    '<option value="week" selected="">Last 7 days</option>',
    'cursor=n',
  ]) {
    expect(text).toContain(said)
  }
  expect(text).not.toContain('Mail.Send299@1.0.0')
  const none = setUp({ 'GET /audit': () => ({ items: [] }) })
  expect(await (await none.get('/console/audit')).text()).toContain('No events match')
})

it('the requests of one import are one event with all its tools, without previews, other toolkits or other times', () => {
  const entry = (seconds: number, about: JsonObject) =>
    ({ ...IMPORT, at: new Date(Date.parse(ACT.at) - seconds * 1_000).toISOString(), about }) as const
  const groups = groupEntries([
    entry(0, { toolkit: 'Server', made: 150 }),
    entry(30, { toolkit: 'Server', made: 50 }),
    entry(90, { toolkit: 'Server', dry_run: true }),
    entry(100, { toolkit: 'Other', dry_run: true }),
    entry(5_000, { toolkit: 'Other', made: 1 }),
  ])
  expect(groups.map(formatEvent)).toEqual([
    'boss imported 200 tools into Server',
    'boss previewed an import into Server',
    'boss previewed an import into Other',
    'boss imported 1 tool into Other',
  ])
})

it.each<[string, Partial<AuditEntry>, JsonObject?]>([
  ['admin ended all access of ann@acme.test', { act: 'access.end', path: '/users/ann%40acme.test/access' }],
  ['admin disconnected all agents of ann', { act: 'agent.end', path: '/users/ann/agents' }],
  [
    'admin asked ann to connect google',
    { act: 'connection.begin', path: '/users/ann/connections', about: { provider: 'google' } },
  ],
  ['admin checked google of ann', { act: 'connection.check', path: '/users/ann/connections/google/check' }],
  ['admin revoked google of ann', { act: 'grant.revoke', path: '/users/ann/grants/google' }],
  ['admin created the key “the publisher”', { act: 'key.create', path: '/keys' }, { name: 'the publisher' }],
  ['admin revoked the key “k1”', { act: 'key.remove', path: '/keys/k1' }],
  ['admin set the policy for Gmail.*', { act: 'policy.put', path: '/policies/Gmail.*' }],
  [
    'admin changed Gmail.Send to yanked',
    { act: 'tool.change', path: '/tools/Gmail.Send' },
    { status: { state: 'yanked' } },
  ],
  ['admin gave the toolkit Mail to key:1', { act: 'toolkit.give', path: '/toolkits/Mail' }, { owner: 'key:1' }],
  [
    'ann@acme.test denied a call of Mail.Send',
    { act: 'approval.refuse', principal: 'person:ann@acme.test' },
    { tool: 'Mail.Send' },
  ],
  ['ann tried to sign in', { act: 'session.begin', principal: undefined, user_id: 'ann', outcome: 'refused' }],
  ['admin signed out', { act: 'session.end', path: '/sign-out' }],
  ['admin ended all other sessions', { act: 'session.end', path: '/sessions' }],
  ['An unknown caller was refused POST /tools', { act: 'refusal', principal: undefined, outcome: 'unauthenticated' }],
  ['admin published Sums.Add@1.0.0', {}, { published: ['Sums.Add@1.0.0'] }],
  ['admin removed the provider %zz', { act: 'provider.remove', path: '/providers/%zz' }],
])('formats an event as %s', (said, fields, about) => {
  expect(sentence(fields, about)).toBe(said)
})

it('equal events are shown once, with their number', () => {
  const refusal = { ...ACT, act: 'refusal', principal: undefined, outcome: 'unauthenticated' } as const
  expect(groupEntries([refusal, refusal, refusal]).map(formatEvent)).toEqual([
    'An unknown caller was refused POST /tools, 3 times',
  ])
  const created = (name: string) => ({ ...ACT, act: 'key.create', path: '/keys', about: { name } }) as const
  expect(groupEntries(['a', 'b', 'b'].map(created)).map(formatEvent)).toEqual([
    'key:1 created the key “a”',
    'key:1 created the key “b”, 2 times',
  ])
})

it('every action has a sentence', () => {
  for (const act of AUDIT_ACTIONS) expect(sentence({ act })).toMatch(/^admin \w+/)
})
