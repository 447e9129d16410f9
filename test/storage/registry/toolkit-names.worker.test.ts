import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import { ADMIN, inRegistry, publication, stopClock } from './set-up.ts'

stopClock()

const KEY: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:read'], tools: ['Mail.*', 'Weather.*'] }

describe('a toolkit that a principal sees nothing of', () => {
  it('is told from what it sees, whether or not there is one', () =>
    inRegistry(async ({ registry }) => {
      const ids = ['Mail.Send@1.0.0', 'Weather.Forecast@1.0.0', 'Main.Do@1.0.0', 'Hidden.Do@1.0.0']
      await registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)
      expect(await registry.unknownToolkit('MAIL', KEY)).toBeUndefined()
      expect(await registry.unknownToolkit('Hidden', ADMIN)).toBeUndefined()
      expect(await registry.unknownToolkit('Mial', KEY)).toEqual({ name: 'Mial', known: ['Mail'], isNear: true })
      expect(await registry.unknownToolkit('Main', KEY)).toEqual({ name: 'Main', known: ['Mail'], isNear: true })
      expect((await registry.unknownToolkit('Mial', ADMIN))?.known).toEqual(['Mail'])
      expect((await registry.unknownToolkit('WeatherApi', KEY))?.known).toEqual(['Weather'])
      const [hidden, unknown] = [
        await registry.unknownToolkit('Hidden', KEY),
        await registry.unknownToolkit('Unused', KEY),
      ]
      expect(hidden).toEqual({ name: 'Hidden', known: ['Mail', 'Weather'], isNear: false })
      expect(unknown).toEqual({ ...hidden, name: 'Unused' })
    }))

  it('is told from bundled ones too', () =>
    inRegistry(async ({ registry }) => {
      const { records } = await publication('Weather.Forecast@1.0.0')
      await registry.takeIn('b1', 0, records)
      await registry.publish([await publication('Mail.Send@1.0.0'), await publication('Mailbox.Do@1.0.0')], ADMIN)
      expect((await registry.unknownToolkit('Wether', KEY))?.known).toEqual(['Weather'])
      expect(await registry.unknownToolkit('Unused', ADMIN)).toEqual({
        name: 'Unused',
        known: ['Mail', 'Mailbox', 'Weather'],
        isNear: false,
      })
    }))

  it('is none whose tools are all deprecated, and one of which none is shown at all', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Mail.Send@1.0.0')], ADMIN)
      const say = (state: 'deprecated' | 'yanked') =>
        registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state } }, ADMIN)
      await say('deprecated')
      expect(await registry.unknownToolkit('Mail', KEY)).toBeUndefined()
      await say('yanked')
      expect(await registry.unknownToolkit('Mail', KEY)).toEqual({ name: 'Mail', known: [], isNear: false })
    }))
})
