import { mayActFor, type Principal } from '../../core/access/principal.ts'
import { identifier, malformed } from '../../core/call/call-fields.ts'
import { fail, type Result } from '../../core/failure/failure.ts'
import { check } from '../../core/tool/json-reader.ts'
import { pathSegment } from '../../http/request/path-segment.ts'

/** The user of a path `/users/{user}/…`, for a principal that may act for that user, or otherwise `mayAsk` of them. */
export function userOfPath(url: string, principal: Principal, mayAsk = mayActFor): Result<string> {
  const user = pathSegment(url, 2)
  if (!user.ok) return user
  const read = check(identifier, user.value)
  if (!read.ok) return malformed(read.problems, 'the path')
  if (mayAsk(principal, user.value)) return user
  return fail({ type: 'forbidden', reason: `The credential may not act for the user '${user.value}'` })
}
