import { expect, it } from 'vitest'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import { createErrorHandler } from '../../../src/http/response/error-handler.ts'

const c = { req: { method: 'GET', path: '/tools' } }

it('a defect is reported by its reference and logged with details; unreachable storage is not a defect', async () => {
  const logged: unknown[] = []
  const answer = createErrorHandler(
    (failure) => Response.json(failure),
    () => 'r1',
    (entry) => void logged.push(entry),
  )
  const error = new Error('secret')
  expect(await (await answer(error, c)).json()).toEqual({ type: 'internal', reference: 'r1' })
  const away = new UnreachableError('Not now', { cause: new Error('why') })
  expect(await (await answer(away, c)).json()).toEqual({ type: 'unavailable', message: 'Not now' })
  const plain = Object.assign(new Error('plain'), { stack: undefined })
  await answer(plain, c)
  expect(logged).toEqual([
    { event: 'unexpected', reference: 'r1', method: 'GET', path: '/tools', error: error.stack },
    { event: 'unreachable', error: 'Not now', cause: 'Error: why' },
    { event: 'unexpected', reference: 'r1', method: 'GET', path: '/tools', error: 'plain' },
  ])
})
