import { exact } from './parts.tsx'
import type { SaidFailure } from './reply.ts'

/** What stands in a form that changes a thing: which one, and how the form was filled with it. */
export interface Filled {
  readonly of: string
  readonly as: string
}

/** How a form is filled with a thing that is there; one that comes back to be corrected keeps what it was filled with first. */
export function filledWith(of: string, written: object, form?: URLSearchParams): Filled {
  return { of, as: form?.get('filled') ?? JSON.stringify(written) }
}

export function FilledFields({ of, as }: Filled) {
  return (
    <>
      <input type="hidden" name="filled_of" value={exact(of)} />
      <input type="hidden" name="filled" value={exact(as)} />
    </>
  )
}

/**
 * Why what a form says of a thing is not done: somebody changed it since the form was filled, and what they took away would be
 * given again. `written` is how the form would be filled now. A form that was filled with nothing, or another thing, is none of these.
 */
export function staleness(form: URLSearchParams, of: string, written: object): SaidFailure | undefined {
  if (form.get('filled_of') !== of || form.get('filled') === JSON.stringify(written)) return undefined
  return {
    status: 409,
    message: 'It was changed since this form was filled, so nothing was done',
    detail: 'The form is filled with what it is now: change that',
    problems: [],
  }
}
