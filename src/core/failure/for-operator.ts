import { hasScope, type Principal } from '../access/principal.ts'
import type { Failure } from './failure.ts'

const ENABLE = 'an administrator can enable it with PATCH /tools/{id}, or its toolkit with PATCH /toolkits/{toolkit}'

export function failureFor(principal: Principal, failure: Failure): Failure {
  const isOperator = hasScope(principal, 'admin')
  if (isOperator && failure.type === 'tool-disabled')
    return { ...failure, detail: [failure.detail, ENABLE].filter((each) => each !== undefined).join('; ') }
  if (isOperator && failure.type === 'tool-untrusted') {
    const detail = `it was published with a key that does not name it or its toolkit: an administrator can trust it with PATCH /tools/${failure.id} {"trusted": true}, or the caller can send its own credentials`
    return { ...failure, detail }
  }
  if (!('forOperator' in failure)) return failure
  const { forOperator, ...visible } = failure
  if (!isOperator || forOperator === undefined) return visible
  switch (visible.type) {
    case 'requirements-missing':
      return { ...visible, detail: forOperator }
    case 'forbidden':
    case 'tool-not-executable':
      return { ...visible, reason: forOperator }
    case 'output-too-large':
      return { ...visible, why: forOperator }
    case 'unavailable':
      return { ...visible, message: forOperator }
    case 'tool-failed':
      return { ...visible, developer_message: forOperator }
  }
}
