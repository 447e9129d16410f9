import { expect, it } from 'vitest'
import type { Failure } from '../../../src/core/failure/failure.ts'
import { toFailureMeta } from '../../../src/core/failure/failure-meta.ts'

const fields = { message: 'm', additional_prompt_content: 'p', developer_message: 'd', retry_after_ms: 5 }
const challenge = { id: 'google', url: 'u', scopes: ['a'], status: 'not_started' } as const
const missing = { authorization: [challenge], secrets: [{ id: 'KEY' }], user_id: false }

it.each<[Failure, unknown]>([
  [{ type: 'tool-failed', message: 'm' }, undefined],
  [{ type: 'tool-failed', message: 'm', content: [{ type: 'text', text: 'm' }] }, undefined],
  [{ type: 'tool-failed', ...fields }, { 'dev.switchboard/error': fields }],
  [{ type: 'cancelled' }, undefined],
  [
    { type: 'requirements-missing', tool: 'Kit.echo', ...missing, detail: 'd' },
    {
      'dev.switchboard/missing_requirements': {
        ...missing,
        authorization: [{ id: 'google', url: 'u', scopes: ['a'] }],
      },
    },
  ],
])('the data for programs about the failure %j is %j', (failure, said) => expect(toFailureMeta(failure)).toEqual(said))
