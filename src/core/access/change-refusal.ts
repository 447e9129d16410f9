/** Why a tool or toolkit was not changed. It is `unknown` to a principal who may not know that it exists. */
export interface ChangeRefusal {
  readonly ok: false
  readonly failure:
    | { readonly type: 'unknown' }
    | { readonly type: 'forbidden'; readonly reason: string }
    | { readonly type: 'conflict'; readonly message: string }
}

export const UNKNOWN: ChangeRefusal = { ok: false, failure: { type: 'unknown' } }

export function forbidChange(reason: string): ChangeRefusal {
  return { ok: false, failure: { type: 'forbidden', reason } }
}

export function changeConflict(message: string): ChangeRefusal {
  return { ok: false, failure: { type: 'conflict', message } }
}

export function formatRefusal({ failure }: ChangeRefusal): string {
  if (failure.type === 'unknown') return 'It is unknown'
  return failure.type === 'conflict' ? failure.message : failure.reason
}
