import { describe, expect, it, vi } from 'vitest'
import { matchExpression } from '../../../src/storage/registry/search.ts'
import type { RegistryObject } from '../../../src/storage/registry/registry-object.ts'
import {
  ADMIN,
  documentPublication,
  type Harness,
  inRegistry,
  publication,
  publications,
  rowsOf,
  stopClock,
} from './set-up.ts'

stopClock()

const publish = async ({ registry }: Harness, ...ids: readonly string[]) =>
  registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)

const near = (registry: RegistryObject, toolkit: string, tool: string) => {
  const answer = registry.documentOrNearest({ toolkit, tool })
  if (typeof answer === 'string') throw new Error(`Wanted no such tool, got ${answer}`)
  return answer.map((name) => `${name.toolkit}.${name.tool}`)
}

const found = (registry: RegistryObject, q: string) =>
  registry
    .query({ q, versions: 'newest', limit: 50 }, 50, ADMIN)
    ?.found.map(({ record }): string => JSON.parse(record).id)

describe('the names near an unknown one', () => {
  it('are those of few other letters, ignoring case, and of the same tool elsewhere, nearest first', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Mail.SendAll@1.0.0', 'Sms.Send@1.0.0', 'Mail.Sent@1.0.0', 'Weather.Forecast@1.0.0')
      const { registry } = harness
      expect(near(registry, 'MAIL', 'sendal')).toEqual(['Mail.SendAll', 'Mail.Sent'])
      expect(near(registry, 'Fax', 'Send')[0]).toBe('Sms.Send')
      expect(near(registry, 'Quite', 'Another')).toEqual([])
    }))

  it('are 20 at most', () =>
    inRegistry(async (harness) => {
      await publish(harness, ...Array.from({ length: 30 }, (_, n) => `Kit${n}.Send@1.0.0`))
      expect(near(harness.registry, 'Kit', 'Send')).toHaveLength(20)
    }))

  it('are found in a large registry too, for a bounded number of rows', { timeout: 120_000 }, () =>
    inRegistry(async (harness) => {
      const { registry, sql } = harness
      const costs: number[] = []
      for (const [from, to] of [
        [0, 2_100],
        [2_100, 3_000],
      ] as const) {
        const ids = Array.from({ length: to - from }, (_, n) => `Kit${(from + n) % 50}.SendThing${from + n}@1.0.0`)
        await publish(harness, ...ids)
        const work = async () => void near(registry, 'Kit7', 'SendTing2057')
        costs.push(await rowsOf(sql, work))
      }
      await publish(harness, 'Mail.SendAll@1.0.0', 'Sms.Send@1.0.0')
      expect(near(registry, 'Kit7', 'SendTing2057')[0]).toBe('Kit7.SendThing2057')
      expect(near(registry, 'MAIL', 'sendal')).toEqual(['Mail.SendAll'])
      expect(near(registry, 'Male', 'SendAll')[0]).toBe('Mail.SendAll')
      expect(near(registry, 'Fax', 'Send')[0]).toBe('Sms.Send')
      expect(near(registry, 'Quite', 'Another')).toEqual([])
      expect(Math.max(...costs)).toBeLessThan(4_000)
    }),
  )

  it('are looked for a hundred times a second', () =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await publish(harness, 'Mail.Send@1.0.0')
      const answers = Array.from({ length: 300 }, () => near(registry, 'Mail', 'Sent').length)
      expect(answers.filter((found) => found === 1)).toHaveLength(100)
      vi.setSystemTime(Date.now() + 1_000)
      expect(near(registry, 'Mail', 'Sent')).toEqual(['Mail.Send'])
    }))

  it.each(['disabled', 'yanked', 'deprecated'] as const)('are none of a tool that is %s', (state) =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await publish(harness, 'Mail.Send@1.0.0', 'Mail.Sent@1.0.0')
      expect(near(registry, 'Mail', 'Sens')).toEqual(['Mail.Send', 'Mail.Sent'])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state } }, ADMIN)
      expect(near(registry, 'Mail', 'Sens')).toEqual(['Mail.Sent'])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state: 'active' } }, ADMIN)
      expect(near(registry, 'Mail', 'Sens')).toEqual(['Mail.Send', 'Mail.Sent'])
    }),
  )

  it('are none of a tool that left the bundle', () =>
    inRegistry(async ({ registry }) => {
      const { records } = await publication('Mail.Send@1.0.0')
      await registry.takeIn('1', 1, records)
      expect(near(registry, 'Mail', 'Sens')).toEqual(['Mail.Send'])
      await registry.takeIn('2', 2, [])
      expect(near(registry, 'Mail', 'Sens')).toEqual([])
    }))
})

describe('a search', () => {
  it('finds words of names, toolkits, descriptions and tags, and what begins so', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Mail.GetLetters@1.0.0', { description: 'Reads what was posted' }, { tags: ['inbox'] }),
          await publication('Weather.Forecast@1.0.0', { description: 'Rain or shine' }),
        ],
        ADMIN,
      )
      for (const q of ['letters', 'lett', 'get_letters', 'GETLETTERS', 'mail', 'posted', 'inbox', 'rainbow inbox']) {
        expect(found(registry, q)).toEqual(['Mail.GetLetters@1.0.0'])
      }
      for (const q of ['nothing', '', '"*', 'ox']) expect(found(registry, q)).toEqual([])
    }))

  it('gives the tool of that very name first, whatever its case and separators', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('A.SendMessageToAll@1.0.0', { description: 'send message send message send message' }),
          await publication('B.SendMessage@1.0.0', { description: 'Delivers' }),
        ],
        ADMIN,
      )
      for (const q of ['sendmessage', 'Send-Message', 'b.send message', 'B_SendMessage']) {
        expect(found(registry, q)?.[0]).toBe('B.SendMessage@1.0.0')
      }
    }))

  it('finds a tool as its listed version describes it, and none that is not listed', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Mail.Send@1.0.0', { description: 'pigeons' }),
          await publication('Mail.Send@2.0.0', { description: 'telegraphs' }),
        ],
        ADMIN,
      )
      expect(found(registry, 'pigeons')).toEqual([])
      expect(found(registry, 'telegraphs')).toEqual(['Mail.Send@2.0.0'])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '2.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect(found(registry, 'pigeons')).toEqual(['Mail.Send@1.0.0'])
      expect(found(registry, 'telegraphs')).toEqual([])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect(found(registry, 'pigeons')).toEqual([])
    }))
})

describe('the index', () => {
  it('costs as many rows however many tools there are', () =>
    inRegistry(async ({ registry, sql, drain }) => {
      const costs: number[] = []
      for (const [at, more] of [100, 900].entries()) {
        await registry.publish(await publications(at * 100, at * 100 + more), ADMIN)
        await drain()
        const work = [
          async () => registry.publish([await publication(`Fresh${at}.Tool@1.0.0`)], ADMIN),
          async () => registry.publish([await publication(`Fresh${at}.Tool@2.0.0`)], ADMIN),
          () =>
            registry.change({ toolkit: `fresh${at}`, tool: 'tool' }, '2.0.0', { status: { state: 'yanked' } }, ADMIN),
          async () => registry.publish([await documentPublication(`document-${at}`, '1.0.0', ['a', 'b'])], ADMIN),
          async () => registry.holds(`Nothing${at}`),
        ]
        const rows: number[] = []
        for (const each of work) rows.push(await rowsOf(sql, each))
        costs.push(rows.reduce((sum, n) => sum + n))
        await drain()
      }
      expect(costs[1]).toBe(costs[0])
    }))

  it('is kept as it is where an earlier version did not note which row is whose', () =>
    inRegistry(async ({ registry, sql, restart }) => {
      await registry.publish(
        [
          await publication('Mail.Send@1.0.0', { description: 'pigeons' }),
          await publication('Mail.Read@1.0.0', { description: 'pigeons' }),
        ],
        ADMIN,
      )
      sql.exec('ALTER TABLE tool DROP COLUMN indexed')
      const again = restart()
      expect(found(again, 'pigeons')?.toSorted()).toEqual(['Mail.Read@1.0.0', 'Mail.Send@1.0.0'])
      await again.publish([await publication('Mail.Send@2.0.0', { description: 'telegraphs' })], ADMIN)
      expect(found(again, 'pigeons')).toEqual(['Mail.Read@1.0.0'])
      expect(found(again, 'telegraphs')).toEqual(['Mail.Send@2.0.0'])
    }))
})

describe('the expression that words become', () => {
  it('has each word once quoted, so that none is an operator of FTS5', () => {
    expect(matchExpression('NEAR("a" OR b*)')).toBe('"NEAR"* OR "a"* OR "OR"* OR "b"*')
    expect(matchExpression('getEmails')).toBe('"get"* OR "Emails"*')
    expect(matchExpression('.-"')).toBeUndefined()
  })

  it('has twelve different words at most, of the first thousand characters', () => {
    const many = Array.from({ length: 100 }, (_, index) => `word${index}`)
    expect(matchExpression(many.join(' '))?.split(' OR ')).toHaveLength(12)
    expect(matchExpression('word '.repeat(100))).toBe('"word"*')
    expect(matchExpression(`a ${'-'.repeat(998)}b`)).toBe('"a"*')
  })
})
