import { expect, it } from 'vitest'
import { createSetAlarm } from '../../src/storage/alarm.ts'

it('an alarm never comes before its time, and one that sets its own time again is not dropped', async () => {
  const times: unknown[] = []
  const setAlarm = createSetAlarm({ setAlarm: async (time) => void times.push(time) })
  for (const at of [1_000.2, 1_001, 1_001, 1_001, 500]) await setAlarm(at)
  expect(times).toEqual([1_001, 1_002, 1_001, 1_002, 500])
})
