import { expect, it } from 'vitest'
import { createSetAlarm } from '../../src/storage/alarm.ts'

it('an alarm never runs early, and one that sets the same time again is not lost', async () => {
  const times: unknown[] = []
  const setAlarm = createSetAlarm({ setAlarm: async (time) => void times.push(time) })
  for (const at of [1_000.2, 1_001, 1_001, 1_001, 500]) await setAlarm(at)
  expect(times).toEqual([1_001, 1_002, 1_001, 1_002, 500])
})
