import type { Policy } from '../../core/access/policy.ts'

export interface PolicyAnswers {
  'GET /policies': { readonly items: readonly Policy[] }
  'GET /policies/:pattern': Policy
  'PUT /policies/:pattern': Policy
  'DELETE /policies/:pattern': undefined
}
