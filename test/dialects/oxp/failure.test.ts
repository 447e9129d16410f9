import { describe, expect, it } from 'vitest'
import { failureBody } from '../../../src/dialects/oxp/failure.ts'
import { FAILURES } from '../machine-context/failures.ts'

describe('what a person must do first', () => {
  it('is to be authorized, by its provider, with where to look', () => {
    expect(failureBody(FAILURES['requirements-missing'])).toEqual({
      message: "Tool 'Kit.Tool' needs something more before it can be called",
      developer_message: 'No grant',
      missing_requirements: {
        authorization: [{ id: 'google', url: 'https://here/start', check_url: 'https://here/check' }],
        secrets: [{ id: 'KEY' }],
        user_id: true,
      },
    })
  })

  it('is to be approved, in the same form', () => {
    expect(failureBody(FAILURES['approval-required'])).toEqual({
      message: 'A person must approve this call first',
      developer_message: 'Level 8',
      missing_requirements: {
        authorization: [{ id: 'approval', url: 'https://here/approve', check_url: 'https://here/check/a2' }],
      },
    })
  })
})
