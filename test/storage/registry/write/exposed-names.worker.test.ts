import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import { ADMIN, type Harness, inRegistry, publication, stopClock } from '../set-up.ts'

stopClock()

const key = (id: string, ...tools: string[]): Principal => ({
  id: `key:${id}`,
  kind: 'key',
  scopes: ['tools:publish'],
  tools,
  users: [],
})
const stranger = key('m', '*')

/** Publishes a tool that declares a name, and returns the result. */
async function declare({ registry }: Harness, id: string, name: string, principal: Principal = ADMIN) {
  const { published } = await registry.publish([await publication(id, { name })], principal)
  const [first] = published
  if (!first) throw new Error('Nothing became of it')
  return first
}

const exposed = ({ sql }: Harness, key: string) =>
  sql.exec<{ exposed: string | null }>('SELECT exposed FROM tool WHERE key = ?', key).one().exposed
const name = (toolkit: string, tool: string) => ({ toolkit, tool })

describe('the name a tool is exposed under', () => {
  it('is the declared one, unless another tool has it: then it is the derived one, with a warning', () =>
    inRegistry(async (harness) => {
      expect(await declare(harness, 'Sms.Send@1.0.0', 'Send')).toMatchObject({ warnings: [] })
      const other = await declare(harness, 'Mail.Send@1.0.0', 'SEND')
      expect(other).toMatchObject({
        outcome: 'created',
        warnings: [{ path: '', message: expect.stringContaining("over MCP this tool is 'Mail_Send'") }],
      })
      expect([exposed(harness, 'sms.send'), exposed(harness, 'mail.send')]).toEqual(['Send', 'Mail_Send'])
    }))

  it('finds its tool forever, and so do all earlier names and the derived one, ignoring case', () =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await declare(harness, 'Mail.Send@1.0.0', 'Send')
      await declare(harness, 'Mail.Send@2.0.0', 'SendMail')
      await declare(harness, 'Sms.Send@1.0.0', 'send')
      const all = ['Send', 'SEND', 'sendmail', 'Mail_Send', 'mail_send']
      for (const each of all) expect(await registry.findKeyByName(each)).toBe('mail.send')
      expect(await registry.findKeyByName('sms_send')).toBe('sms.send')
      expect(await registry.findKeyByName('nobody')).toBeUndefined()
      for (const version of ['1.0.0', '2.0.0']) {
        await registry.change(name('mail', 'send'), version, { status: { state: 'disabled' } }, ADMIN)
      }
      for (const each of all) expect(await registry.findKeyByName(each)).toBe('mail.send')
    }))

  it('cannot begin with the name of another toolkit and an underscore, ignoring case', () =>
    inRegistry(async (harness) => {
      await declare(harness, 'Stripe.Refund@1.0.0', 'Stripe_Refund')
      for (const [n, wanted] of ['Stripe_CreateCharge', 'STRIPE_x', 'stripe__x'].entries()) {
        await declare(harness, `Evil.X${n}@1.0.0`, wanted, stranger)
        expect(exposed(harness, `evil.x${n}`)).toBe(`Evil_X${n}`)
        expect(await harness.registry.findKeyByName(wanted)).toBeUndefined()
      }
      await declare(harness, 'Evil.Y@1.0.0', 'Stripes_x', stranger)
      expect(exposed(harness, 'evil.y')).toBe('Stripes_x')
      await harness.registry.changeToolkit('Later', { to: 'key:ann' }, ADMIN)
      await declare(harness, 'Evil.Z@1.0.0', 'Later_Do', stranger)
      expect(exposed(harness, 'evil.z')).toBe('Evil_Z')
    }))

  it('has at most 64 characters, and belongs to one tool if two derive the same name', () =>
    inRegistry(async (harness) => {
      await declare(harness, 'A.B_C@1.0.0', 'one')
      await declare(harness, 'A_B.C@1.0.0', 'One')
      expect(exposed(harness, 'a.b_c')).toBe('one')
      expect(exposed(harness, 'a_b.c')).toMatch(/^A_B_C_[0-9a-f]{8}$/)
      expect(await harness.registry.findKeyByName('A_B_C')).toBe('a.b_c')
      const [long, other] = ['x'.repeat(64), 'y'.repeat(64)]
      await declare(harness, `${long}.${other}@1.0.0`, 'ONE')
      expect(exposed(harness, `${long}.${other}`)).toMatch(/^x{55}_[0-9a-f]{8}$/)
    }))
})

describe('a derived name', () => {
  it('gets a suffix if another tool declared it first, until an administrator assigns it', () =>
    inRegistry(async (harness) => {
      const { registry, kv, drain } = harness
      await declare(harness, 'Evil.X@1.0.0', 'Stripe_CreateCharge', stranger)
      expect(await registry.findKeyByName('stripe_createcharge')).toBe('evil.x')
      await drain()
      expect(kv.values.get('name/stripe_createcharge')).toBe('evil.x')
      await declare(harness, 'Stripe.CreateCharge@1.0.0', 'Stripe_CreateCharge', key('s', 'Stripe.*'))
      expect(await registry.findKeyByName('Stripe_CreateCharge')).toBe('evil.x')
      expect(exposed(harness, 'evil.x')).toBe('Stripe_CreateCharge')
      const own = exposed(harness, 'stripe.createcharge')
      expect(own).toMatch(/^Stripe_CreateCharge_[0-9a-f]{8}$/)
      expect(await registry.findKeyByName(own ?? '')).toBe('stripe.createcharge')
      const given = { name: 'Stripe_CreateCharge' }
      await registry.change(name('Stripe', 'CreateCharge'), '1.0.0', given, ADMIN)
      expect(exposed(harness, 'evil.x')).toBe('Evil_X')
      await drain()
      expect(kv.values.get('name/stripe_createcharge')).toBe('stripe.createcharge')
      await declare(harness, 'Evil.X@1.0.1', 'Stripe_CreateCharge', stranger)
      expect(exposed(harness, 'evil.x')).toBe('Evil_X')
    }))

  it('cannot take a name that another tool declares', () =>
    inRegistry(async (harness) => {
      await declare(harness, 'Weather.Now@1.0.0', 'get_weather', key('w', 'Weather.*'))
      for (const principal of [stranger, key('g', 'get.*'), ADMIN]) {
        await declare(harness, 'get.weather@1.0.0', 'own', principal)
        expect(await harness.registry.findKeyByName('get_weather')).toBe('weather.now')
        expect(exposed(harness, 'weather.now')).toBe('get_weather')
      }
      expect(await harness.registry.findKeyByName('own')).toBe('get.weather')
    }))
})

describe('a name that an administrator assigns', () => {
  const give = ({ registry }: Harness, of: ReturnType<typeof name>, given: string | null, principal = ADMIN) =>
    registry.change(of, '1.0.0', { name: given }, principal)

  it('belongs to its tool from then on, whoever had it, until it is withdrawn', () =>
    inRegistry(async (harness) => {
      await declare(harness, 'Evil.Steal@1.0.0', 'GetEmails', stranger)
      await declare(harness, 'Gmail.GetEmails@1.0.0', 'GetEmails')
      expect(exposed(harness, 'gmail.getemails')).toBe('Gmail_GetEmails')
      expect(await give(harness, name('Gmail', 'GetEmails'), 'GetEmails', stranger)).toHaveProperty(
        'failure.type',
        'forbidden',
      )
      expect(await give(harness, name('Gmail', 'GetEmails'), 'GetEmails')).toHaveProperty('document')
      expect(exposed(harness, 'gmail.getemails')).toBe('GetEmails')
      expect(exposed(harness, 'evil.steal')).toBe('Evil_Steal')
      await declare(harness, 'Evil.Steal@1.1.0', 'GetEmails', stranger)
      expect(await harness.registry.findKeyByName('getemails')).toBe('gmail.getemails')
      await give(harness, name('Gmail', 'GetEmails'), 'mails')
      expect(exposed(harness, 'gmail.getemails')).toBe('mails')
      await give(harness, name('Gmail', 'GetEmails'), null)
      expect(exposed(harness, 'gmail.getemails')).toBe('GetEmails')
    }))

  it('cannot be one that another tool derives', () =>
    inRegistry(async (harness) => {
      await declare(harness, 'A.B@1.0.0', 'one')
      await declare(harness, 'C.D@1.0.0', 'two')
      expect(await give(harness, name('C', 'D'), 'a_b')).toHaveProperty('failure.type', 'conflict')
      expect(exposed(harness, 'c.d')).toBe('two')
    }))
})
