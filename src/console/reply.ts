import type { Reply } from './page.ts'

/** A failure of a route, in its words. */
export interface SaidFailure {
  readonly status: number
  readonly message: string
  readonly detail?: string
  /** What is wrong, where in what was sent. */
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** As OXP words failures (`dialects/oxp/failure.ts`). */
interface Worded {
  readonly message?: string
  readonly developer_message?: string
  readonly errors?: SaidFailure['problems']
}

/** What a reply that is no success says. */
export function failureOf({ status, value }: Reply<Worded | unknown>): SaidFailure {
  const { message, developer_message: detail, errors: problems = [] }: Worded = Object(value)
  return {
    status,
    message: message ?? `It was answered with the status ${status}`,
    ...(detail === undefined ? {} : { detail }),
    problems,
  }
}
