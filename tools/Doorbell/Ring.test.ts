import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contextFor } from '../../test/tools/context.ts'
import ring from './Ring.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('Doorbell.Ring', () => {
  it.each(['doorbell42', 'doorbell84'])('rings %s, telling how far it is, and gives nothing', async (doorbell_id) => {
    const { context, logged, reported } = contextFor()
    const ringing = ring.handler({ doorbell_id }, context)
    expect(reported).toEqual([[1, 2, 'Ding']])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await ringing).toBeUndefined()
    expect(reported.slice(1)).toEqual([[2, 2, 'Dong']])
    expect(logged).toEqual(['Rang the doorbell'])
  })

  it('says which doorbells there are when it does not know one', async () => {
    const { context, logged } = contextFor()
    expect(await ring.handler({ doorbell_id: 'doorbell1' }, context)).toEqual({
      failed: {
        message: 'Doorbell ID not found',
        developer_message: "The doorbell with ID 'doorbell1' does not exist.",
        can_retry: true,
        additional_prompt_content: 'ids: doorbell42,doorbell84',
        retry_after_ms: 500,
      },
    })
    expect(logged).toEqual([])
  })
})
