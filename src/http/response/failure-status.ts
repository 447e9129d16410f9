import type { FailureType } from '../../core/failure/failure.ts'

export const HTTP_STATUS = {
  'request-malformed': 400,
  'body-too-large': 413,
  'body-timed-out': 408,
  'media-type-unsupported': 415,
  'protocol-version-unsupported': 400,
  'misdirected': 421,
  'route-unknown': 404,
  'method-not-allowed': 405,
  'unauthenticated': 401,
  'forbidden': 403,
  'rate-limited': 429,
  'definition-invalid': 422,
  'conflict': 409,
  'precondition-failed': 412,
  'not-found': 404,
  'gone': 410,
  'unavailable': 503,
  'internal': 500,
} as const satisfies Partial<Record<FailureType, number>>

export const OUTCOME_STATUS = {
  'tool-failed': 200,
  'tool-timed-out': 200,
  'output-invalid': 200,
  'output-elsewhere': 200,
  'select-failed': 200,
  'output-too-large': 200,
  'outcome-unknown': 200,
  'cancelled': 200,
  'input-required': 200,
} as const satisfies Partial<Record<FailureType, number>>

/** Failures of a call before its tool runs. */
export const UNCALLED_STATUS = {
  'id-malformed': 400,
  'tool-unknown': 400,
  'version-unavailable': 400,
  'tool-disabled': 400,
  'tool-renamed': 400,
  'tool-changed': 400,
  'tool-not-executable': 400,
  'tool-untrusted': 400,
  'requirements-missing': 400,
  'approval-required': 400,
  'input-invalid': 422,
  'select-invalid': 400,
} as const satisfies Partial<Record<FailureType, number>>
