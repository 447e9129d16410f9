import { describe, expect, it } from 'vitest'
import { contextFor } from '../../test/tools/context.ts'
import ring from './Ring.ts'

describe('Doorbell.Ring', () => {
  it.each(['doorbell42', 'doorbell84'])('rings %s, and gives nothing', (doorbell_id) => {
    const { context, logged } = contextFor()
    expect(ring.handler({ doorbell_id }, context)).toBeUndefined()
    expect(logged).toEqual(['Rang the doorbell'])
  })

  it('says which doorbells there are when it does not know one', () => {
    const { context, logged } = contextFor()
    expect(ring.handler({ doorbell_id: 'doorbell1' }, context)).toEqual({
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
