import { hasScope, type Principal } from '../access/principal.ts'
import type { Failure } from './failure.ts'

export function tailorFailure(principal: Principal, failure: Failure): Failure {
  const isOperator = hasScope(principal, 'admin')
  if (isOperator && failure.type === 'tool-disabled')
    return { ...failure, detail: [failure.detail, describeEnabling(failure.id)].filter(Boolean).join('; ') }
  if (isOperator && failure.type === 'tool-untrusted') {
    const detail = `it was published with a key that does not name it or its toolkit: an administrator can trust it with PATCH /tools/${failure.id} {"trusted": true}, or the caller can send its own credentials`
    return { ...failure, detail }
  }
  if (!('forOperator' in failure)) return failure
  const { forOperator: operatorMessage, ...visible } = failure
  if (!isOperator || operatorMessage === undefined) return visible
  switch (visible.type) {
    case 'requirements-missing':
      return { ...visible, detail: operatorMessage }
    case 'forbidden':
    case 'tool-not-executable':
      return { ...visible, reason: operatorMessage }
    case 'output-too-large':
      return { ...visible, why: operatorMessage }
    case 'unavailable':
      return { ...visible, message: operatorMessage }
    case 'tool-failed':
      return { ...visible, developer_message: operatorMessage }
  }
}

function describeEnabling(id: string): string {
  const [toolkit] = id.split('.')
  return `an administrator can enable it with PATCH /tools/${id} {"status": "active"}, or its toolkit with PATCH /toolkits/${toolkit} {"status": "active"}`
}
