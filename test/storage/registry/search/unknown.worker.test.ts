import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import { ADMIN, inRegistry, publication, stopClock } from '../set-up.ts'

stopClock()

const KEY: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:read'], tools: ['Mail.*', 'Weather.*'] }

describe('a toolkit of which a principal sees nothing', () => {
  it('gets suggestions from what the principal sees, whether it exists or not', () =>
    inRegistry(async ({ registry }) => {
      const ids = ['Mail.Send@1.0.0', 'Weather.Forecast@1.0.0', 'Main.Do@1.0.0', 'Hidden.Do@1.0.0']
      await registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)
      expect(await registry.describeUnknown('MAIL', KEY)).toBeUndefined()
      expect(await registry.describeUnknown('Hidden', ADMIN)).toBeUndefined()
      expect(await registry.describeUnknown('Mial', KEY)).toEqual({ name: 'Mial', known: ['Mail'], isNear: true })
      expect(await registry.describeUnknown('Main', KEY)).toEqual({ name: 'Main', known: ['Mail'], isNear: true })
      expect((await registry.describeUnknown('Mial', ADMIN))?.known).toEqual(['Mail'])
      expect((await registry.describeUnknown('WeatherApi', KEY))?.known).toEqual(['Weather'])
      const [hidden, unknown] = [
        await registry.describeUnknown('Hidden', KEY),
        await registry.describeUnknown('Unused', KEY),
      ]
      expect(hidden).toEqual({ name: 'Hidden', known: ['Mail', 'Weather'], isNear: false })
      expect(unknown).toEqual({ ...hidden, name: 'Unused' })
    }))

  it('may be the name of a tool, and then the other tools of its toolkit are suggested', () =>
    inRegistry(async ({ registry }) => {
      const ids = ['Mail.Send@1.0.0', 'Mail.Search@1.0.0', 'Weather.Forecast@1.0.0', 'Hidden.Send@1.0.0']
      await registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)
      expect(await registry.describeUnknown('MAIL.send', KEY)).toBeUndefined()
      expect(await registry.describeUnknown('Mail.Sned', KEY)).toEqual({
        name: 'Mail.Sned',
        known: ['Mail.Send'],
        isNear: true,
      })
      expect(await registry.describeUnknown('Mail.Unlike', KEY)).toEqual({
        name: 'Mail.Unlike',
        known: ['Mail.Search', 'Mail.Send'],
        isNear: false,
      })
      const [hidden, unknown] = [
        await registry.describeUnknown('Hidden.Do', KEY),
        await registry.describeUnknown('Unused.Do', KEY),
      ]
      expect(hidden).toEqual({ name: 'Hidden', known: ['Mail', 'Weather'], isNear: false })
      expect(unknown).toEqual({ ...hidden, name: 'Unused' })
      const [seen, never] = [
        await registry.describeUnknown('Hidden.Send', KEY),
        await registry.describeUnknown('Unused.Send', KEY),
      ]
      expect(seen).toEqual({ name: 'Hidden.Send', known: ['Mail.Send'], isNear: true })
      expect(never).toEqual({ ...seen, name: 'Unused.Send' })
    }))

  it('is not reported for a withdrawn tool, so that an agent that names it among others keeps the others', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Mail.Send@1.0.0')], ADMIN)
      const say = (state: 'yanked' | 'disabled') =>
        registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state } }, ADMIN)
      for (const state of ['yanked', 'disabled'] as const) {
        await say(state)
        expect(await registry.describeUnknown('Mail.Send', KEY), state).toBeUndefined()
      }
    }))

  it('gets suggestions from bundled toolkits too', () =>
    inRegistry(async ({ registry }) => {
      const { records } = await publication('Weather.Forecast@1.0.0')
      await registry.installBundle('b1', 0, records)
      await registry.publish([await publication('Mail.Send@1.0.0'), await publication('Mailbox.Do@1.0.0')], ADMIN)
      expect((await registry.describeUnknown('Wether', KEY))?.known).toEqual(['Weather'])
      expect(await registry.describeUnknown('Unused', ADMIN)).toEqual({
        name: 'Unused',
        known: ['Mail', 'Mailbox', 'Weather'],
        isNear: false,
      })
    }))

  it('is reported as unknown if all its tools are yanked, but not if all are deprecated', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Mail.Send@1.0.0')], ADMIN)
      const say = (state: 'deprecated' | 'yanked') =>
        registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state } }, ADMIN)
      await say('deprecated')
      expect(await registry.describeUnknown('Mail', KEY)).toBeUndefined()
      await say('yanked')
      expect(await registry.describeUnknown('Mail', KEY)).toEqual({ name: 'Mail', known: [], isNear: false })
    }))
})

describe('the suggestions for a tool name', () => {
  it('are tools that the principal sees, with any separators, exact names first', () =>
    inRegistry(async ({ registry }) => {
      const ids = ['Mail.SendAll@1.0.0', 'Mail.Echo@1.0.0', 'Weather.Echoes@1.0.0', 'Hidden.SendAll@1.0.0']
      await registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)
      const near = async (name: string) => (await registry.suggestTools(name, KEY)).map(({ id }) => id)
      for (const name of ['Mail_SendAl', 'mail-send-all', 'sendal', 'Hidden.SendAll', 'Unused.SendAll'])
        expect(await near(name), name).toEqual(['Mail.SendAll'])
      expect(await near('ehco')).toEqual(['Mail.Echo'])
      expect(await near('echo')).toEqual(['Mail.Echo', 'Weather.Echoes'])
      expect(await near('Nothing_like_it')).toEqual([])
    }))
})
