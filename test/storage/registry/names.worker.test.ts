import { describe, expect, it } from 'vitest'
import { exposedName, keyOfName } from '../../../src/storage/registry/names.ts'
import { ADMIN, inRegistry, publication, stopClock } from './set-up.ts'

stopClock()

describe('the name a tool is exposed under', () => {
  it('is its own, and for all others that have the same one with a suffix that stays the same', () =>
    inRegistry(async ({ sql }) => {
      expect(exposedName(sql, 'Send', 'sms.send')).toBe('Send')
      const alias = exposedName(sql, 'SEND', 'mail.send')
      expect(alias).toMatch(/^SEND_[0-9a-f]{8}$/)
      expect(exposedName(sql, 'SEND', 'mail.send')).toBe(alias)
      expect(exposedName(sql, 'Send', 'fax.send')).not.toBe(alias.replace('SEND', 'Send'))
      expect(exposedName(sql, 'Send', 'sms.send')).toBe('Send')
    }))

  it('has at most 64 characters, however long its own is', () =>
    inRegistry(async ({ sql }) => {
      for (const length of [55, 56, 60, 64]) {
        const wanted = 'n'.repeat(length)
        expect(exposedName(sql, wanted, `a.${wanted}`)).toBe(wanted)
        const alias = exposedName(sql, wanted, `b.${wanted}`)
        expect(alias).toMatch(/^n+_[0-9a-f]{8}$/)
        expect(alias.length).toBe(Math.min(64, length + 9))
      }
    }))

  it('is another one when somebody has the alias too', () =>
    inRegistry(async ({ sql }) => {
      exposedName(sql, 'Send', 'sms.send')
      const alias = exposedName(sql, 'Send', 'mail.send')
      sql.exec("UPDATE name SET key = 'some.other' WHERE name = ?", alias.toLowerCase())
      const next = exposedName(sql, 'Send', 'mail.send')
      expect(next).toMatch(/^Send_[0-9a-f]{8}$/)
      expect(next).not.toBe(alias)
      expect(keyOfName(sql, next)).toBe('mail.send')
    }))

  it('leads to its tool for ever, whatever that is called later, ignoring case', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish([await publication('Mail.Send@1.0.0', { name: 'Send' })], ADMIN)
      await registry.publish([await publication('Mail.Send@2.0.0', { name: 'SendMail' })], ADMIN)
      await registry.publish([await publication('Sms.Send@1.0.0', { name: 'send' })], ADMIN)
      for (const name of ['Send', 'SEND', 'sendmail']) expect(await registry.named(name)).toBe('mail.send')
      expect(await registry.named('nobody')).toBeUndefined()
      await drain()
      expect(kv.keys('name/').toSorted()).toEqual(['name/send', 'name/sendmail'])
      expect(kv.values.get('name/send')).toBe('mail.send')
      await registry.change({ toolkit: 'mail', tool: 'send' }, '2.0.0', { status: { state: 'disabled' } }, ADMIN)
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect(await registry.named('SendMail')).toBe('mail.send')
    }))
})
