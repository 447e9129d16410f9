import { describe, expect, it } from 'vitest'
import { createToolSecrets } from '../../../src/core/access/tool-secrets.ts'

const TEXT = { toolkit: 'SMS', tool: 'Send' }
const MAIL = { toolkit: 'Mail', tool: 'Send' }
const grants = new Map([
  ['SMS_KEY', ['SMS.*']],
  ['SHARED', ['Slack.*', 'mail.send']],
  ['EMPTY', ['*']],
  ['UNSET', ['*']],
  ['NOBODYS', []],
])
const values: Readonly<Record<string, string>> = {
  SMS_KEY: 's1',
  SHARED: 's2',
  EMPTY: '',
  NOBODYS: 's3',
  ADMIN_KEY: 's4',
}
const notSet = (id: string) =>
  `The secret '${id}' is not set: 'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`
const letIt =
  "Neither TOOL_SECRETS nor a policy lets 'Mail.Send' have the secret 'NEW': 'switchboard policies set Mail.Send --secret NEW' allows it"
const { isGranted, secretFor, formatGrantAdvice } = createToolSecrets(grants, (name) => values[name])

it.each([
  ['SMS_KEY', TEXT, 's1'],
  ['SHARED', MAIL, 's2'],
])('a secret %s is given to a tool that one of its patterns covers', (id, tool, value) => {
  expect(isGranted(id, tool)).toBe(true)
  expect(secretFor(id, tool)).toEqual({ value })
})

it.each([
  ['SMS_KEY', MAIL, 'Mail.Send'],
  ['SHARED', TEXT, 'SMS.Send'],
  ['NOBODYS', TEXT, 'SMS.Send'],
  ['ADMIN_KEY', TEXT, 'SMS.Send'],
  ['constructor', TEXT, 'SMS.Send'],
])('a secret %s is not given to a tool that no pattern covers', (id, tool, name) => {
  expect(isGranted(id, tool)).toBe(false)
  const who = grants.has(id) ? 'TOOL_SECRETS does not let' : 'Neither TOOL_SECRETS nor a policy lets'
  expect(secretFor(id, tool)).toEqual({ missing: `${who} '${name}' have the secret '${id}'` })
})

it.each(['EMPTY', 'UNSET'])('a secret %s is granted although it is missing', (id) => {
  expect(isGranted(id, TEXT)).toBe(true)
  expect(secretFor(id, TEXT)).toEqual({
    missing: notSet(id),
  })
})

it.each([
  ['UNSET', TEXT, notSet('UNSET')],
  ['SMS_KEY', MAIL, "TOOL_SECRETS does not let 'Mail.Send' have the secret 'SMS_KEY'"],
  ['NEW', MAIL, `${letIt}. ${notSet('NEW')}`],
])('a secret %s lists the remaining steps for an administrator', (id, tool, steps) => {
  expect(formatGrantAdvice(id, tool)).toBe(steps)
})

it('a secret is read only by its name, and only for a tool that may have it', () => {
  const asked: string[] = []
  const secrets = createToolSecrets(grants, (name) => void asked.push(name))
  secrets.secretFor('SMS_KEY', MAIL)
  secrets.isGranted('SMS_KEY', TEXT)
  expect(asked).toEqual([])
  secrets.secretFor('SMS_KEY', TEXT)
  expect(asked).toEqual(['SMS_KEY'])
})

describe('a secret that policies name', () => {
  const policies: Readonly<Record<string, string>> = {
    MORE: 'Mail',
    SMS_KEY: 'Mail',
    NOBODYS: 'Mail',
    ADMIN_KEY: 'Mail',
  }
  const secrets = createToolSecrets(
    grants,
    (name) => values[name] ?? 'm1',
    (id, { toolkit }) => policies[id] === toolkit,
    (id) => (id === 'ADMIN_KEY' ? "Is Switchboard's own" : undefined),
  )

  it('a secret that policies name is given to their tools only', () => {
    expect(secrets.secretFor('MORE', MAIL)).toEqual({ value: 'm1' })
    expect([secrets.isGranted('MORE', MAIL), secrets.isGranted('MORE', TEXT)]).toEqual([true, false])
  })

  it.each(['SMS_KEY', 'NOBODYS'])('a secret that policies name follows TOOL_SECRETS if that names it: %s', (id) => {
    expect(secrets.isGranted(id, MAIL)).toBe(false)
    expect(secrets.secretFor(id, MAIL)).toEqual({
      missing: `TOOL_SECRETS does not let 'Mail.Send' have the secret '${id}'`,
    })
  })

  it("a secret that policies name is never one of Switchboard's own", () => {
    expect(secrets.isGranted('ADMIN_KEY', MAIL)).toBe(false)
    expect(secrets.secretFor('ADMIN_KEY', MAIL)).toHaveProperty('missing')
    expect(secrets.formatGrantAdvice('ADMIN_KEY', MAIL)).toMatch(/have the secret 'ADMIN_KEY'$/)
  })
})
